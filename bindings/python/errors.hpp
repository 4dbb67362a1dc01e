// Errors of Sill as exceptions of Python.
#pragma once

#include <nanobind/nanobind.h>

namespace sill::python {

/// Local. Makes `module` raise sill.UsageError, sill.InputError and sill.IoError (sill/errors.py) for sill::Error.
/// Precondition: called once, with the GIL held.
void translate_errors(nanobind::module_& module);

}  // namespace sill::python
