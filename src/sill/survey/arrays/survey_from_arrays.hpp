// Writes the survey of a dataset that survey_to_arrays made.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sill/io/session/resources.hpp"

namespace sill {

struct SurveyFromArraysResult {
  std::int64_t traces = 0;
  /// Names of words whose value in the dataset differs from the header bytes, and the number of such traces.
  std::vector<std::pair<std::string, std::int64_t>> changed = {};
  std::int64_t inexact_samples = 0;  ///< samples that differ from the original file in their last bits
  std::int64_t output_bytes = 0;
};

/// Local. Returns true if a name has an ending of Zarr, HDF5 or netCDF.
[[nodiscard]] bool is_name_of_arrays(const std::string& path);

/// Collective. Writes the survey in `input` to `output`, which appears when it is complete, in the order of its traces.
/// Samples and header words are those of the variables; all other bytes are those of the original file. Errors: usage
/// if the dataset does not hold a survey, has packed values, or a variable with the byte of another word, or if the
/// output is the input; input if it lacks traces or has one twice, if elements of a trace or of the file header are not
/// stored, if a value does not fit the format, or if something was changed that is not written: coordinates, the mask,
/// copies of the text header, sizes in the file header; io.
[[nodiscard]] SurveyFromArraysResult survey_from_arrays(const Resources& resources, const std::string& input,
                                                        const std::string& output);

}  // namespace sill
