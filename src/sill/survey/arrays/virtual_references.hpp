// References to the samples of a SEG-Y file, with which other programs open the file as Zarr.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

struct ReferencesResult {
  std::vector<std::string> dimensions = {};  ///< "inline 120"
  std::int64_t traces = 0;
  std::int64_t holes = 0;
  std::vector<std::string> notes = {};
};

/// Collective. Writes a reference file of kerchunk, version 1, which describes the survey of one file as a group of
/// Zarr, version 2: the samples of each trace are one chunk, in the file itself; dimensions are in the references.
/// `dimensions` as in SurveyToArraysOptions. Errors: usage for several inputs, traces of different lengths, and samples
/// in formats that Zarr lacks, such as IBM floats; as trace_grid; io.
[[nodiscard]] ReferencesResult write_references(const Resources& resources, const SurveyReader& reader,
                                                const std::string& dimensions, const std::string& output);

}  // namespace sill
