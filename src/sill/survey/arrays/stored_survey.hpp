// The survey in a dataset of arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sill/survey/arrays/survey_layout.hpp"

namespace sill {

/// A header word that a dataset holds: a variable, or a field of a structured one.
struct StoredWord {
  MdioField word;
  std::size_t variable = 0;  ///< in StoredSurvey::variables
  int begin = -1;            ///< of a field: its first byte in the element
};

/// The survey that a dataset holds. `variables` are what is read of each trace: samples, number of the trace, header
/// bytes, then words, mask and coordinates, if there are any. Samples and words have the type f8 if the dataset has
/// floats where the file has integers.
struct StoredSurvey : SurveyArrays {
  std::vector<StoredWord> words = {};
  std::int64_t traces = 0;
  std::int64_t samples = 0;
  std::int64_t header_bytes = 0;
  segy::SampleFormat format = segy::SampleFormat::ibm_float;
  ByteOrder order = ByteOrder::big;
  bool is_seismic_unix = false;
  /// Of each variable, the elements with which its dataset states that a value is missing, one after the other in the
  /// type that is read.
  std::vector<std::vector<std::byte>> missing = {};

  [[nodiscard]] std::int64_t trace_bytes() const { return header_bytes + samples * segy::bytes_of(format); }
};

/// Local. Returns the survey of a dataset, without the bytes of the file header and trailer. `path` is for messages.
/// Errors: usage if the dataset does not hold a survey that survey_to_arrays wrote, or lacks what the file needs.
[[nodiscard]] StoredSurvey survey_in(const DatasetDescription& description, const std::string& path);

}  // namespace sill
