// Infers the geometry of a survey from its trace headers.
#pragma once

#include <cstdint>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill {

/// Collective. Returns the geometry that all trace headers state: kind, order, line numbers, fold, positions. Uses the
/// words of `reader.words()`. First reads a sample of at most 4,096 traces, the same for any number of ranks, to decide
/// which words to store; then reads all headers once (docs/geometry.md), or twice if the sample was misleading. Per
/// trace of this rank, uses 4 bytes for each stored word and 17 more, at most 37. The result is the same on all ranks
/// and for any number of ranks and threads. Errors: usage, if the memory needed exceeds `resources.memory()` and
/// `memory_beside_buffers()` together; io.
[[nodiscard]] SurveyGeometry find_geometry(const Resources& resources, const SurveyReader& reader);

/// Local. Returns false if the text header of the first file gives the bytes of the words iline and xline another
/// meaning, and no map names them. Errors: io.
[[nodiscard]] bool text_allows_lines(const SurveyReader& reader);

}  // namespace sill
