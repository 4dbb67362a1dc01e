// The survey in a dataset of arrays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sill/survey/arrays/survey_layout.hpp"

namespace sill {

struct StoredSurvey {
  /// What is read of each trace: samples, number of the trace, header bytes, then words. Samples and words have the
  /// type f8 if the dataset has floats where the file has integers.
  std::vector<CellVariable> variables = {};
  Index shape = {};  ///< of the dimensions of the traces
  std::int64_t traces = 0;
  std::int64_t samples = 0;
  std::int64_t header_bytes = 0;
  segy::SampleFormat format = segy::SampleFormat::ibm_float;
  ByteOrder order = ByteOrder::big;
  bool is_seismic_unix = false;
  std::vector<std::byte> file_header = {};
  std::vector<std::byte> file_trailer = {};

  /// Local. Returns the bytes that all variables have for each trace.
  [[nodiscard]] std::int64_t cell_bytes() const { return bytes_per_trace(variables); }
  [[nodiscard]] std::int64_t trace_bytes() const { return header_bytes + samples * segy::bytes_of(format); }
};

/// Local. Returns the survey of a dataset, without the bytes of the file header and trailer. `path` is for messages.
/// Errors: usage if the dataset does not hold a survey that survey_to_arrays wrote, or lacks what the file needs.
[[nodiscard]] StoredSurvey survey_in(const DatasetDescription& description, const std::string& path);

}  // namespace sill
