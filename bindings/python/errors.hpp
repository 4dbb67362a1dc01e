// Errors of Sill as exceptions of Python.
#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <cerrno>
#include <optional>
#include <string>
#include <tuple>

#include "sill/base/error.hpp"

namespace sill::python {

/// The Python exception that a usage error is, in addition to ValueError (sill/errors.py). The value is stored as
/// `system_error_number` of the error, which usage errors do not need otherwise. So all ranks raise the same class.
enum class Wrong : int { type = EDOM, index = ERANGE, name = ENXIO };

/// Local. Throws a usage error.
[[noreturn]] inline void refuse(const std::string& problem, const std::string& action = {}) {
  throw Error({.code = ErrorCode::usage, .problem = problem, .action = action});
}

/// Local. Runs `work`. Errors: as `work`, but its usage errors whose problem begins with `beginning` are thrown as
/// errors of wrong types, indices or names.
template <class Work>
auto with_kind(Wrong kind, const Work& work, std::string_view beginning = {}) {
  try {
    return work();
  } catch (const Error& error) {
    ErrorParts parts = error.parts();
    if (parts.code == ErrorCode::usage && parts.problem.starts_with(beginning))
      parts.system_error_number = static_cast<int>(kind);
    throw Error(parts);
  }
}

/// Local. Sets `value` to an option that Python passed, if it passed it. Errors: Wrong::type. Precondition: the GIL is
/// held.
template <class Value>
void set(const nanobind::dict& options, const char* name, Value& value) {
  if (!options.contains(name) || nanobind::try_cast(options[name], value)) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("{} is {}", name, nanobind::repr(options[name]).c_str()),
               .action = fmt::format("use a value that the help of the function states for {}", name),
               .system_error_number = static_cast<int>(Wrong::type)});
}

/// Local. Makes the module raise the classes of sill/errors.py for sill::Error. Precondition: called once, with the GIL
/// held.
void translate_errors();

/// Local. Returns a text that may contain a path as a str of Python; bytes that are not UTF-8 become what os.fsdecode
/// makes of them.
[[nodiscard]] nanobind::str path_str(const std::string& text);

/// The error of this rank's arguments of a collective call: its code, problem, action, errno, file and clause. Python
/// passes it so that all ranks raise it.
using Problem = std::optional<std::tuple<int, std::string, std::string, int, nanobind::bytes, std::string>>;

/// Local. Returns the error that Python passed, if any.
[[nodiscard]] std::optional<Error> error_of(const Problem& problem);

}  // namespace sill::python
