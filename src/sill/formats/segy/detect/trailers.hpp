// Finding out how many 3200-byte blocks follow the last trace.
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

/// Tells the number of data trailers, by the count of bytes 3529-3532 and by what is there. A count is believed if the
/// first of so many blocks is text, or if nothing speaks against it; a count of -1 leaves it open: then they are what
/// follows the traces that are stated, or the blocks of text at the end of the file. A part of the probe: it names the
/// bytes it needs and is fed. Source: SEG-Y rev 2.0, bytes 3529-3532.
class Trailers {
 public:
  struct File {
    std::int64_t stated = 0;  ///< bytes 3529-3532, -1 if they leave it open; 0 before revision 2
    std::int64_t first_trace_byte = 0;
    std::int64_t file_bytes = 0;
    std::int64_t traces_end_byte = 0;  ///< by the number of traces that is stated, 0 if it is not
    /// Whether the traces divide the file if so many bytes follow them.
    std::function<bool(std::int64_t bytes_after)> fits_before;
  };

  explicit Trailers(File file);

  /// Local. The bytes needed next; nothing when `count` is known.
  [[nodiscard]] std::optional<ByteRange> next() const { return wanted_; }
  /// Local. Takes the bytes that `next` named. Errors: input, if there is too much text to find where traces end.
  void feed(std::span<const std::byte> bytes);

  /// Local. How many there are. Precondition: `next` is empty.
  [[nodiscard]] std::int64_t count() const { return found_; }
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  void look_further();
  void conclude_open();
  void report(Grade grade, std::string problem, std::string action);

  File file_;
  std::optional<ByteRange> wanted_;
  std::int64_t blocks_of_text_ = 0;  ///< at the end of the file, so far
  std::int64_t found_ = 0;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace sill::segy
