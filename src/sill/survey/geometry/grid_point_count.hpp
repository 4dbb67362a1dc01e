// Counts lines, bins and gathers from words of all traces, over all ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill {

/// Collective. Returns the distinct numbers among `values` of all ranks, without a word's name. `values` may be in any
/// order and contain duplicates; they are consumed. Precondition: some rank has values.
[[nodiscard]] LineAxis count_lines(Communicator& comm, std::vector<std::int32_t>&& values);

/// Collective. Returns the sizes of the groups of equal `keys` of all ranks. Precondition: keys are below 2^63.
[[nodiscard]] GroupSizes count_groups(Communicator& comm, std::vector<std::uint64_t>&& keys);

/// Local. Returns true if the grid is small enough for `count_places`: its bins can be numbered.
[[nodiscard]] bool can_count_places(const LineAxis& ilines, const LineAxis& xlines);

/// Collective. Returns which bins of a grid have traces. `places` contains the bin number of each trace of this rank:
/// the index of its inline times `xlines.places()`, plus the index of its crossline. `duplicates` and
/// `first_duplicates` report all bins with more than one trace, for any kind of survey. Precondition:
/// `can_count_places(ilines, xlines)` is true.
[[nodiscard]] SurveyGrid count_places(Communicator& comm, LineAxis ilines, LineAxis xlines,
                                      std::vector<std::uint64_t>&& places);

}  // namespace sill
