// Writes a survey as arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/array/chunk_codec.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

struct SurveyToArraysOptions {
  std::string output;
  std::string dimensions = {};  ///< as dimensions_in; empty: those of the detected geometry
  ChunkCodecs codecs = {};
  std::optional<Index> chunk = {};  ///< of the samples
  bool replaces = false;            ///< replaces an existing folder
};

struct SurveyToArraysResult {
  std::vector<std::string> dimensions = {};  ///< "inline 120"
  std::int64_t traces = 0;
  std::int64_t holes = 0;
  std::int64_t inexact_samples = 0;  ///< samples whose bytes are not restored when converted back
  std::int64_t bytes = 0;            ///< of all elements
  std::vector<std::string> notes = {};
};

/// Collective. Writes the survey of one file as a dataset: samples and header words over the dimensions of the traces,
/// and all other bytes of the file, so that `survey_from_arrays` writes the same file again. Positions without a trace
/// have NaN, or 0 in integers, and 0 in `trace_mask`. After an error no part of the dataset remains. Errors: usage for
/// several inputs, traces of different lengths, a chunk with other dimensions than the samples, and as `trace_grid`,
/// DatasetWriter; input; io.
[[nodiscard]] SurveyToArraysResult survey_to_arrays(const Resources& resources, const SurveyReader& reader,
                                                    const SurveyToArraysOptions& options);

}  // namespace sill
