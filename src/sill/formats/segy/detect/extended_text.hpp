// Detection of the number of extended text headers of a file.
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

/// Maximum number of extended text headers that are searched if their number is left open.
constexpr std::int64_t max_text_blocks = 1024;

/// Local. Returns true if an extended text header contains the stanza ((SEG: EndText)), which ends the extended text
/// headers. Case and blanks are ignored.
[[nodiscard]] bool holds_end_text(std::span<const std::byte, text_header_bytes> block);

/// Determines the number of extended text headers (3200-byte blocks after the binary header) from bytes 3505-3506 and
/// from the content of the file. A step of the probe: `next` names the bytes that it needs, and `feed` accepts them.
/// The stated number may be garbage, above all in a file of revision 0, which does not define such headers. It is
/// accepted if the first block is text, if the size of the file fits only with this number, if it also fits without and
/// the first block is blank, or (from revision 1) if nothing contradicts it. The number -1 leaves it open: the headers
/// then end with the stanza ((SEG: EndText)). Source: SEG-Y rev 1, bytes 3505-3506 and section 6.
class ExtendedText {
 public:
  struct File {
    std::string path;             ///< for messages
    int revision = 0;             ///< as the file is read
    int count = 0;                ///< bytes 3505-3506
    std::int64_t first_byte = 0;  ///< byte at which the extended text headers would begin, from 0
    std::int64_t file_bytes = 0;
    /// Returns true if the size of the file fits traces that begin at this byte.
    std::function<bool(std::int64_t first_trace_byte)> fits_after;
  };

  explicit ExtendedText(File file);

  /// Local. Returns the bytes needed next, or nullopt when `count` is known.
  [[nodiscard]] std::optional<ByteRange> next() const { return wanted_; }
  /// Local. Accepts the bytes that `next` named. Errors: input, if the stanza that ends the extended text headers is
  /// missing.
  void feed(std::span<const std::byte> bytes);

  /// Local. Returns the number of extended text headers. Precondition: `next()` returns nullopt.
  [[nodiscard]] int count() const { return found_; }
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  void evaluate_counted(bool first_block_is_text, bool first_block_is_blank);
  void scan_for_end(std::span<const std::byte> bytes);
  void ignore(Grade grade, std::string problem);
  [[nodiscard]] std::string says() const;

  File file_;
  std::optional<ByteRange> wanted_;
  std::int64_t blocks_scanned_ = 0;  ///< blocks that were already searched for the end
  int found_ = 0;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace sill::segy
