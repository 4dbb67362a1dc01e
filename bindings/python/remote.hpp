// Remote files, which Python reads by fsspec (sill/remote.py).
#pragma once

#include <nanobind/nanobind.h>

namespace sill::python {

/// Local. Adds RemoteFiles to the module: RangedFiles whose sources are objects of Python.
void add_remote(nanobind::module_& module);

}  // namespace sill::python
