// Finding out the geometry of a survey from its trace headers.
#pragma once

#include <cstdint>

#include "sill/flow/survey_geometry.hpp"
#include "sill/io/reader.hpp"
#include "sill/io/resources.hpp"

namespace sill {

/// Bytes that finding the geometry takes for each trace of a rank, at most.
inline constexpr std::int64_t geometry_bytes_a_trace = 32;

/// Collective. What the headers of all traces tell: kind, order, line numbers, fold, positions. Words are those of
/// `reader.words()`. A look at 4,096 traces at most, the same for any number of ranks, decides which words are worth
/// holding; then all headers are read once (docs/geometry.md). Takes at most `geometry_bytes_a_trace` of this rank. The
/// result is the same on all ranks and for any number of ranks and threads. Errors: io.
[[nodiscard]] SurveyGeometry find_geometry(const Resources& resources, const Reader& reader);

}  // namespace sill
