// Detection of the number of 3200-byte blocks after the last trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sill/base/diagnostic.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// Determines the number of data trailers from bytes 3529-3532 and from the content of the file. A stated number is
/// accepted if the first of the stated blocks is text, or if nothing contradicts the number. The number -1 leaves it
/// open: the trailers are then the blocks after the stated number of traces, or the blocks of text at the end of the
/// file. A step of the probe: `next` names the bytes that it needs, and `feed` accepts them. Source: SEG-Y rev 2.0,
/// bytes 3529-3532.
class Trailers {
 public:
  struct File {
    std::int64_t stated = 0;  ///< bytes 3529-3532, -1 if the number is not stated; 0 before revision 2
    std::int64_t first_trace_byte = 0;
    std::int64_t file_bytes = 0;
    std::int64_t traces_end_byte = 0;  ///< end of the traces by their stated number, 0 if it is not stated
    /// Returns true if the traces are a whole number of traces when this number of bytes follows them.
    std::function<bool(std::int64_t bytes_after)> fits_before;
  };

  explicit Trailers(File file);

  /// Local. Returns the bytes needed next, or nullopt when `count` is known.
  [[nodiscard]] std::optional<ByteRange> next() const { return wanted_; }
  /// Local. Accepts the bytes that `next` named. Errors: input, if there is too much text to determine the end of the
  /// traces.
  void feed(std::span<const std::byte> bytes);

  /// Local. Returns the number of trailers. Precondition: `next()` returns nullopt.
  [[nodiscard]] std::int64_t count() const { return found_; }
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  void look_further();
  void conclude_open();
  void report(Grade grade, std::string problem, std::string action);

  File file_;
  std::optional<ByteRange> wanted_;
  std::int64_t blocks_of_text_ = 0;  ///< blocks of text found at the end of the file so far
  std::int64_t found_ = 0;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace sill::segy
