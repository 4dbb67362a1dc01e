// Checks that trace headers are at their expected positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sill/formats/segy/description/trace_likeness.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// Learns common properties of a file's headers from the first three. Samples that are mistaken for a header, because
/// bytes before them are missing or inserted, have almost none of these properties. Const functions may be called by
/// several threads.
class HeaderProof {
 public:
  /// Local. Learns from the first headers of the only file of `reader`. Errors: io.
  explicit HeaderProof(const SurveyReader& reader);

  /// Local. Returns true if the 240 bytes at `header`, read as trace `trace` (from 0), are like the learned headers
  /// (segy::TraceLikeness), or have a trace number (bytes 1-4 or 5-8) that continues the trace numbers of the learned
  /// headers.
  [[nodiscard]] bool is_in_place(std::int64_t trace, const std::byte* header) const;

 private:
  ByteOrder order_;
  segy::TraceLikeness likeness_;
  std::vector<int> counting_;         // offsets of the words that count the traces, from 0
  std::vector<std::int64_t> firsts_;  // values of these words in the first header
};

}  // namespace sill
