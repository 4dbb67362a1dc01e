#include "errors.hpp"

#include <exception>
#include <string>

#include "sill/base/error.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

const char* class_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage: return "UsageError";
    case ErrorCode::input: return "InputError";
    case ErrorCode::io: break;
  }
  return "IoError";
}

nb::object or_none(const std::optional<std::int64_t>& value) { return value ? nb::cast(*value) : nb::none(); }

void raise(const Error& error) {
  const ErrorParts& parts = error.parts();
  nb::dict where;
  where["file"] = parts.where.file;
  where["byte"] = or_none(parts.where.byte);
  where["item"] = or_none(parts.where.item);
  where["item_word"] = parts.where.item_word;
  const nb::object type = nb::module_::import_("sill.errors").attr(class_of(error.code()));
  const nb::object exception =
      type(error.what(), parts.problem, where, parts.clause, parts.action, parts.system_error_number);
  PyErr_SetObject(type.ptr(), exception.ptr());
}

}  // namespace

void translate_errors(nb::module_& /*module*/) {
  nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
    try {
      std::rethrow_exception(raised);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

}  // namespace sill::python
