// The commands of the program, run in this process.
#pragma once

#include <nanobind/nanobind.h>

namespace sill::python {

/// Local. Adds to the module: the names of commands, their options, and a function that runs one. Precondition: the GIL
/// is held.
void add_commands(nanobind::module_& module);

}  // namespace sill::python
