// Recognition of possible trace headers by the bytes that all headers of the file have in common.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sill/formats/segy/words/words.hpp"

namespace sill::segy {

/// Learns some headers of a file, and then recognizes other bytes that resemble a header. Errors in both directions are
/// possible: callers must verify the result. The object is trivially copyable, so that ranks can send it. Const
/// functions may be called by several threads.
class TraceLikeness {
 public:
  /// Local. Adds a known header.
  void learn(std::span<const std::byte, trace_header_bytes> header);

  /// Local. Returns true if these 240 bytes resemble the learned headers: at least half of the bytes that were equal in
  /// all headers and not 0 have the same value, and at least three quarters of the bytes that were 0 in all headers are
  /// 0. If all learned headers state a number of samples, these bytes must state one, too. Bytes that are equal in the
  /// learned headers may differ in other headers (a source, a day), so not all bytes must match. Samples, even samples
  /// with many zeros, nevertheless do not satisfy the condition. Returns false if no byte was equal in all headers and
  /// not 0.
  [[nodiscard]] bool is_like(const std::byte* header) const;

 private:
  std::array<std::byte, trace_header_bytes> first_{};
  std::array<std::uint8_t, trace_header_bytes> constant_{};  // offsets of bytes that are equal in all headers and not 0
  std::array<std::uint8_t, trace_header_bytes> zero_{};      // offsets of bytes that are 0 in all headers
  int constants_ = 0;
  int zeros_ = 0;
  bool learned_ = false;
  bool states_samples_ = true;  // all headers state a number of samples
};

}  // namespace sill::segy
