// Whether trace headers lie where they are looked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sill/formats/segy/description/trace_likeness.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// Learns from the first three headers of a file what its headers have in common. Samples that are read as a header,
/// because bytes are missing or too many before them, have hardly any of it. Const functions may be called by several
/// threads.
class HeaderProof {
 public:
  /// Local. Of the one file of `reader`. Errors: io.
  explicit HeaderProof(const SurveyReader& reader);

  /// Local. Whether the 240 bytes at `header`, found as trace `trace` (from 0), are like those that were learned
  /// (segy::TraceLikeness), or have a trace number (bytes 1-4 or 5-8) that counts on from theirs.
  [[nodiscard]] bool is_in_place(std::int64_t trace, const std::byte* header) const;

 private:
  ByteOrder order_;
  segy::TraceLikeness likeness_;
  std::vector<int> counting_;         // bytes of the words that count the traces, from 0
  std::vector<std::int64_t> firsts_;  // their values in the first header
};

}  // namespace sill
