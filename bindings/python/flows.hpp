// The operations of flows, as Python makes methods of them.
#pragma once

#include <nanobind/nanobind.h>

namespace sill::python {

/// Local. Adds to the module: the table of operations, and a function that writes an operation and its arguments in the
/// inline form of flows. Precondition: the GIL is held.
void add_flows(nanobind::module_& module);

}  // namespace sill::python
