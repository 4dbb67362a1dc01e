#include "sill/flow/operation/trace_times.hpp"

#include <fmt/format.h>

#include "sill/base/error.hpp"

namespace sill::flow {

TraceTimes::TraceTimes(const SurveyState& state, const char* operation)
    : delay_(*state.words), order_(state.order), interval_s_(state.interval_us * 1e-6) {
  if (state.domain != segy::Domain::time)
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("{} needs samples along time, those of this survey lie along depth", operation),
                 .action = "'sill info' says why they are taken for depths"});
  if (!state.depth_hint.empty())
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("{} needs samples along time, and those of this survey may lie along depth: {}",
                                        operation, state.depth_hint),
                 .action = "say what they lie along: --assume domain=time, or domain=depth"});
  if (interval_s_ <= 0.0)
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("{} needs the interval of samples, which the survey does not state", operation),
                 .action = "--assume interval=MICROSECONDS states it"});
}

}  // namespace sill::flow
