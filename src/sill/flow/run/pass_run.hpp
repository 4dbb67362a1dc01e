// Performs one pass of a flow: reads traces, applies operations, writes the results.
#pragma once

#include "sill/flow/run/bound_flow.hpp"
#include "sill/flow/run/pass_options.hpp"

namespace sill::flow {

/// Collective. Performs `pass` of `flow` on the survey of `reader`. Reads headers first, if the pass scans; then reads
/// each remaining trace once. The output gets its name when it is complete. Memory: `resources.memory()` for traces in
/// flight, and a record of keys per trace. Errors: usage, for a gather that does not fit; io; the error that would
/// occur first if the operations were executed one after another.
[[nodiscard]] PassResult run_pass(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow,
                                  const Pass& pass, const PassOptions& options);

}  // namespace sill::flow
