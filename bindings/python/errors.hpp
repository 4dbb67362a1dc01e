// Errors of Sill as exceptions of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <tuple>

#include "sill/base/error.hpp"

namespace sill::python {

/// A name that is not a word of trace headers, or an expression that cannot be read: a KeyError in Python.
class UnknownWord : public Error {
 public:
  explicit UnknownWord(const Error& error) : Error(error) {}
};

/// Local. Makes the module raise the classes of sill/errors.py for sill::Error. Precondition: called once, with the GIL
/// held.
void translate_errors();

/// Local. Returns a text that may contain a path as a str of Python; bytes that are not UTF-8 become what os.fsdecode
/// makes of them.
[[nodiscard]] nanobind::str path_str(const std::string& text);

/// The error of this rank's arguments of a collective call: its code, problem, action and errno. Python passes it so
/// that all ranks raise it.
using Problem = std::optional<std::tuple<int, std::string, std::string, int>>;

/// Local. Returns the error that Python passed, if any.
[[nodiscard]] std::optional<Error> error_of(const Problem& problem);

}  // namespace sill::python
