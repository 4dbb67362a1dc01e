// The operation `apply`: functions of Python in flows.
#pragma once

#include <nanobind/nanobind.h>

#include "sill/base/progress.hpp"

namespace sill::python {

/// The functions that `apply` finds by their names, for flows of this thread, while this object lives.
class AppliedFunctions {
 public:
  /// Local. `functions`: a dictionary of sill.flows._Applied; `progress`: that of the flow, whose cancellation ends
  /// calls. Both must outlive this object. Precondition: no other object lives in this thread.
  AppliedFunctions(const nanobind::dict& functions, Progress* progress);
  ~AppliedFunctions();
  AppliedFunctions(const AppliedFunctions&) = delete;
  AppliedFunctions& operator=(const AppliedFunctions&) = delete;
};

/// Local. Adds the type of the operation. Called once.
void add_apply();

}  // namespace sill::python
