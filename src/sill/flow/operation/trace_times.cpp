#include "sill/flow/operation/trace_times.hpp"

#include <fmt/format.h>

#include "sill/base/error.hpp"

namespace sill::flow {

TraceTimes::TraceTimes(const SurveyState& state, const char* operation)
    : delay_(*state.words), order_(state.order), interval_s_(state.interval_us * 1e-6) {
  if (state.domain != segy::Domain::time)
    throw Error(
        {.code = ErrorCode::usage,
         .problem = fmt::format("{} needs samples in time, but the samples of this survey are in depth", operation),
         .action = "'sill info' shows why they are treated as depths"});
  if (!state.depth_hint.empty())
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("{} needs samples in time, but the samples of this survey may be in depth: {}",
                                        operation, state.depth_hint),
                 .action = "state the domain: --assume domain=time, or domain=depth"});
  if (interval_s_ <= 0.0)
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("{} needs the sample interval, which the survey does not state", operation),
                 .action = "give the interval with --assume interval=MICROSECONDS"});
}

}  // namespace sill::flow
