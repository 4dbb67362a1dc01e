#include "errors.hpp"

#include <nanobind/stl/string.h>

#include <cerrno>
#include <exception>
#include <new>
#include <optional>

#include "sill/base/error.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

nb::object or_none(const std::optional<std::int64_t>& value) { return value ? nb::cast(*value) : nb::none(); }

void raise(const Error& error) try {
  const ErrorParts& parts = error.parts();
  nb::dict where;
  where["file"] = path_str(parts.where.file);
  where["byte"] = or_none(parts.where.byte);
  where["item"] = or_none(parts.where.item);
  where["item_word"] = parts.where.item_word;
  const nb::object classes = nb::module_::import_("sill.errors");
  const nb::str action = path_str(parts.action);
  nb::object type = classes.attr(error.code() == ErrorCode::input ? "InputError" : "IoError");
  if (error.code() == ErrorCode::usage) type = classes.attr("usage_class")(parts.system_error_number);
  const nb::object exception =
      type(path_str(error.what()), path_str(parts.problem), where, parts.clause, action, parts.system_error_number);
  PyErr_SetObject(type.ptr(), exception.ptr());
} catch (nb::python_error& interrupted) {
  interrupted.restore();  // such as KeyboardInterrupt
} catch (const std::exception& other) {
  PyErr_SetString(PyExc_RuntimeError, other.what());
}

}  // namespace

nb::str path_str(const std::string& text) {
  return nb::steal<nb::str>(PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

void translate_errors() {
  nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
    try {
      std::rethrow_exception(raised);
    } catch (const Error& error) {
      raise(error);
    } catch (const std::bad_alloc&) {
      raise(Error({.code = ErrorCode::io,
                   .problem = "the memory of this process is exhausted",
                   .action = "read fewer traces or elements at a time",
                   .system_error_number = ENOMEM}));
    }
  });
}

std::optional<Error> error_of(const Problem& problem) {
  if (!problem) return {};
  const auto& [code, text, action, number, file, clause] = *problem;
  return Error({.code = static_cast<ErrorCode>(code),
                .problem = text,
                .where = {.file = {file.c_str(), file.size()}},
                .clause = clause,
                .action = action,
                .system_error_number = number});
}

}  // namespace sill::python
