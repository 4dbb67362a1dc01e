// Candidates for the positions of the traces of a file, and the evidence for each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::segy {

/// Headers of 240 bytes; the key is the byte of the file at which a header begins.
using HeadersByPlace = std::map<std::int64_t, std::array<std::byte, trace_header_bytes>>;

/// Traces of one length, without gaps, from a byte of the file.
struct Candidate {
  ByteOrder byte_order = ByteOrder::big;
  std::int64_t first_trace_byte = 0;
  int headers = 1;  ///< 240-byte headers per trace
  std::int64_t samples = 0;
  int sample_bytes = 4;
  std::int64_t bytes_after = 0;  ///< bytes that follow the traces

  friend bool operator==(const Candidate&, const Candidate&) = default;

  [[nodiscard]] std::int64_t trace_bytes() const {
    return std::int64_t{trace_header_bytes} * headers + samples * sample_bytes;
  }
  /// Local. Return the number of complete traces in a file of `file_bytes` bytes, and the number of bytes after them;
  /// -1 bytes if the file is too short for the bytes before and after the traces.
  [[nodiscard]] std::int64_t traces(std::int64_t file_bytes) const;
  [[nodiscard]] std::int64_t remainder_bytes(std::int64_t file_bytes) const;
  /// Local. Returns the bytes at which the first, the middle and the last complete trace begin: up to three.
  [[nodiscard]] std::vector<std::int64_t> sampled_places(std::int64_t file_bytes) const;
};

/// The evidence for a candidate.
struct Weight {
  int points = 0;
  bool divides = false;  ///< the file consists of complete traces without remainder
  int agree = 0;         ///< sampled headers that state the number of samples of the candidate
  int contradict = 0;    ///< sampled headers that state a different number
  int looked_at = 0;
  bool first_is_text = false;  ///< there is text at the position of its first trace header
  bool follows_text = false;   ///< its first trace directly follows the text after the binary header; see `Weighing`
};

/// Local. Scores a candidate by the size of the file (4 points if traces divide the file without remainder, otherwise
/// -4) and by its sampled headers that `headers` contains. Per header: 3 points for the same number of samples (modulo
/// 65,536), -2 for a different number (0 if the number is too large for the header), 1 for the interval of the file, 2
/// for the number of the trace at bytes 1-4 or 5-8, -4 for text.
[[nodiscard]] Weight weigh(const Candidate& candidate, std::int64_t file_bytes, double interval_us,
                           const HeadersByPlace& headers);

/// Local. Returns "25 traces of 50 samples of 4 bytes from byte 3600".
[[nodiscard]] std::string text_of(const Candidate& candidate, std::int64_t file_bytes);
/// Local. Returns the evidence for and against a candidate, in words.
[[nodiscard]] std::string text_of(const Weight& weight);

}  // namespace sill::segy
