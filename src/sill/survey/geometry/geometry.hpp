// Finding out the geometry of a survey from its trace headers.
#pragma once

#include <cstdint>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill {

/// Collective. What the headers of all traces state: kind, order, line numbers, fold, positions. Words are those of
/// `reader.words()`. A look at 4,096 traces at most, the same for any number of ranks, decides which words are worth
/// holding; then all headers are read once (docs/geometry.md). Takes 4 bytes for each word held and 16 more, 36
/// at most, a trace of this rank. The result is the same on all ranks and for any number of ranks and threads.
/// Errors: usage, if that is more than `resources.memory()` and `memory_beside_buffers()` together; io.
[[nodiscard]] SurveyGeometry find_geometry(const Resources& resources, const SurveyReader& reader);

}  // namespace sill
