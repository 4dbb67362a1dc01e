// Finding out how many extended text headers per file has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/diagnostic.hpp"
#include "sill/formats/segy/text/text_header.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// So many extended text headers are searched for before an open count of them is given up.
constexpr std::int64_t max_text_blocks = 1024;

/// Local. Returns true if an extended text header holds the stanza ((SEG: EndText)), which ends them, in any case and
/// with any blanks.
[[nodiscard]] bool holds_end_text(std::span<const std::byte, text_header_bytes> block);

/// Tells the number of extended text headers (3200-byte blocks after the binary header), by the count of bytes
/// 3505-3506 and by what is there. A part of the probe: it names the bytes it needs and is fed.
/// A count may be rubbish, above all in a file of revision 0, which knows no such headers. It is believed if there is
/// text, if only with it the size of the file is right, or (from revision 1) if nothing speaks against it. A count of
/// -1 leaves it open: they end with the stanza ((SEG: EndText)). Source: SEG-Y rev 1, bytes 3505-3506 and section 6.
class ExtendedText {
 public:
  struct File {
    std::string path;             ///< for messages
    int revision = 0;             ///< as the file is read
    int count = 0;                ///< bytes 3505-3506
    std::int64_t first_byte = 0;  ///< where they would begin, from 0
    std::int64_t file_bytes = 0;
    /// Whether the size of the file is right if traces begin at a byte.
    std::function<bool(std::int64_t first_trace_byte)> fits_after;
  };

  explicit ExtendedText(File file);

  /// Local. The bytes needed next; nothing when `count` is known.
  [[nodiscard]] std::optional<ByteRange> next() const { return wanted_; }
  /// Local. Takes the bytes that `next` named. Errors: input, if the stanza that ends them is missing.
  void feed(std::span<const std::byte> bytes);

  /// Local. How many there are. Precondition: `next` is empty.
  [[nodiscard]] int count() const { return found_; }
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  void evaluate_counted(bool first_block_is_text);
  void scan_for_end(std::span<const std::byte> bytes);
  void ignore(Grade grade, std::string problem);
  [[nodiscard]] std::string says() const;

  File file_;
  std::optional<ByteRange> wanted_;
  std::int64_t blocks_scanned_ = 0;  ///< searched for the end so far
  int found_ = 0;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace sill::segy
