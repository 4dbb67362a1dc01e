// Ways in which a file's traces may lie, and what speaks for each.
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

/// The first 240 bytes at places of a file, by the byte they begin at.
using HeadersByPlace = std::map<std::int64_t, std::array<std::byte, trace_header_bytes>>;

/// Traces of one length, one after another, from a byte of the file on.
struct Candidate {
  ByteOrder byte_order = ByteOrder::big;
  std::int64_t first_trace_byte = 0;
  int headers = 1;  ///< of a trace, 240 bytes each
  std::int64_t samples = 0;
  int sample_bytes = 4;
  std::int64_t bytes_after = 0;  ///< that follow the traces

  friend bool operator==(const Candidate&, const Candidate&) = default;

  [[nodiscard]] std::int64_t trace_bytes() const {
    return std::int64_t{trace_header_bytes} * headers + samples * sample_bytes;
  }
  /// Local. Whole traces in a file of so many bytes, and what is left after them; -1 bytes where nothing fits.
  [[nodiscard]] std::int64_t traces(std::int64_t file_bytes) const;
  [[nodiscard]] std::int64_t remainder_bytes(std::int64_t file_bytes) const;
  /// Local. Where the first, the middle and the last whole trace begin: up to three places.
  [[nodiscard]] std::vector<std::int64_t> sampled_places(std::int64_t file_bytes) const;
};

/// What the file says to a candidate.
struct Weight {
  int points = 0;
  bool divides = false;  ///< the file, into whole traces and nothing else
  int agree = 0;         ///< headers looked at that state its number of samples
  int contradict = 0;    ///< headers looked at that state another one
  int looked_at = 0;
  bool first_is_text = false;  ///< there is text where its first trace header would be
  bool follows_text = false;   ///< it begins where the text ends that follows the binary header; see `Weighing`
};

/// Local. Weighs a candidate by the size of the file (4 points if it divides, else -4) and by those of its sampled
/// headers that are in `headers`: 3 points for its number of samples (modulo 65,536), -2 for another one (none where it
/// is more than they can state), 1 for the interval of the file, 2 for the number of the trace at bytes 1-4 or 5-8, -4
/// for text.
[[nodiscard]] Weight weigh(const Candidate& candidate, std::int64_t file_bytes, double interval_us,
                           const HeadersByPlace& headers);

/// Local. "25 traces of 50 samples from byte 3600".
[[nodiscard]] std::string text_of(const Candidate& candidate, std::int64_t file_bytes);
/// Local. What speaks for and against a candidate, in words.
[[nodiscard]] std::string text_of(const Weight& weight);

}  // namespace sill::segy
