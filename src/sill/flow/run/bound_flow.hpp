// The operations of a flow, bound to a survey.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/flow/operation/dead_traces.hpp"
#include "sill/flow/operation/operation.hpp"
#include "sill/flow/operation/other_survey.hpp"
#include "sill/flow/plan/pass.hpp"
#include "sill/flow/value/flow.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::flow {

/// Operations, their declarations, and the state of the survey before each operation and at the end.
struct BoundFlow {
  std::vector<std::unique_ptr<Operation>> operations;
  std::vector<PlannedOperation> planned;
  std::vector<DeadTraces> kinds;                           ///< types of traces, for each operation
  std::vector<SurveyState> states;                         ///< before each operation, and at the end
  std::vector<std::shared_ptr<const OtherSurvey>> others;  ///< surveys that operations read

  /// Local. Applies operation `k` to the header of a trace as a pass does, which also changes samples. `trace` refers
  /// to `before`; both buffers contain the header before the operation, and afterwards that after it. They are not used
  /// if no operation writes words. Returns false if the trace leaves the survey. Errors: as `make_usable` and
  /// Operation::edit_header.
  [[nodiscard]] bool edit_header(std::size_t k, const segy::HeaderView& trace, std::vector<std::byte>& before,
                                 std::vector<std::byte>& after, NonFinite nonfinite) const;
};

/// Local. Returns the state of the survey of `reader` before any operation, without the start time of its first trace.
/// Precondition: `reader` outlives the state.
[[nodiscard]] SurveyState state_of(const SurveyReader& reader);

/// Collective. Returns `steps` with the content of each file that an argument names as `@FILE`: the text of a table,
/// which only rank 0 reads, so that all ranks have the same text, or a survey. Errors: io; usage for a table of more
/// than 64 MiB; as OtherSurvey.
[[nodiscard]] std::vector<Step> with_files(const Resources& resources, std::vector<Step> steps,
                                           const OtherSurveyRules& rules);

/// Collective. Creates the operations of `steps` for the survey of `reader`, which must outlive them. `takes_auxiliary`
/// is as in SurveyState. Reads headers up to the trace that is the first one at operations that need its start time.
/// Errors: usage, with a caret under the argument or operation: invalid arguments, words that the survey does not have,
/// parameters that are invalid for the survey, files that are not tables, more samples than fit in memory; input, for a
/// survey whose traces differ in length; io.
[[nodiscard]] BoundFlow bind_flow(const Resources& resources, std::span<const Step> steps, const SurveyReader& reader,
                                  bool takes_auxiliary);

}  // namespace sill::flow
