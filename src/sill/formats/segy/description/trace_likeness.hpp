// Recognizing what may be a trace header by what the headers of the file have in common.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sill/formats/segy/words/words.hpp"

namespace sill::segy {

/// Learns from some headers of a file, and then says whether other bytes look like one. It may err both ways: it is
/// for guesses that are proved otherwise. Plain bytes, to be sent between ranks. Const functions may be called by
/// several threads.
class TraceLikeness {
 public:
  /// Local. Takes one more header for granted.
  void learn(std::span<const std::byte, trace_header_bytes> header);

  /// Local. Whether these 240 bytes are like what was learned: half of the bytes that were the same in all headers and
  /// not 0 are so again, and three quarters of those that were 0. What is the same in the headers that were learned may
  /// differ in others (a source, a day), so not all is asked for; yet samples, zeros among them, do not meet it.
  /// False if no byte was the same and not 0.
  [[nodiscard]] bool is_like(const std::byte* header) const;

 private:
  std::array<std::byte, trace_header_bytes> first_{};
  std::array<std::uint8_t, trace_header_bytes> constant_{};  // places of bytes that are the same and not 0
  std::array<std::uint8_t, trace_header_bytes> zero_{};      // places of bytes that are 0
  int constants_ = 0;
  int zeros_ = 0;
  bool learned_ = false;
  bool states_samples_ = true;  // in all headers
};

}  // namespace sill::segy
