// Writes the survey of a dataset that survey_to_arrays made.
#pragma once

#include <cstdint>
#include <string>

#include "sill/io/session/resources.hpp"
#include "sill/store/part/part_file.hpp"

namespace sill {

struct SurveyFromArraysResult {
  std::int64_t traces = 0;
  std::int64_t changed_words = 0;    ///< of all traces: words whose values differ between variables and stored headers
  std::int64_t inexact_samples = 0;  ///< samples that differ from the original file in their last bits
  std::int64_t output_bytes = 0;
};

/// Local. Returns true if a name has an ending of Zarr, HDF5 or netCDF.
[[nodiscard]] bool is_name_of_arrays(const std::string& path);

/// Collective. Writes the survey in `input` to `output`, which appears when it is complete, in the order of its traces.
/// Samples and header words are those of the variables; all other bytes are those of the original file. `part`: as in
/// SurveyWriter. Errors: usage if the dataset does not hold a survey, or the output is the input; input if it lacks
/// traces or has one twice, or if a value does not fit the format; io.
[[nodiscard]] SurveyFromArraysResult survey_from_arrays(const Resources& resources, const std::string& input,
                                                        const std::string& output, PartFile* part = nullptr);

}  // namespace sill
