// Arrays of simulations, written and read by all ranks.
#pragma once

#include <nanobind/nanobind.h>

namespace sill::python {

/// Local. Adds the class Dataset to the module, on which sill/dataset.py stands. Precondition: the GIL is held.
void add_datasets(nanobind::module_& module);

}  // namespace sill::python
