// Sections of surveys, for pictures that Python draws.
#pragma once

#include <nanobind/nanobind.h>

namespace sill::python {

/// Local. Adds to the module: the rows, axes and texts of a section as `sill view` draws them, and its colors.
/// Precondition: the GIL is held, and the module has Survey.
void add_sections(nanobind::module_& module);

}  // namespace sill::python
