// The textual file header of SEG-Y: 40 lines of 80 characters in EBCDIC or ASCII.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sill::segy {

inline constexpr std::size_t text_header_bytes = 3200;
/// Bytes of an extended text header or a trailer.
inline constexpr std::int64_t text_block_bytes = text_header_bytes;
inline constexpr std::size_t text_header_lines = 40;
inline constexpr std::size_t text_header_columns = 80;

/// The encoding of a text header. `ebcdic` is code page 037. Code page 500 has seven different characters, at 0x4A 0x4F
/// 0x5A 0x5F 0xB0 0xBA 0xBB ([ ! ] ^ and others); nothing in a file distinguishes the two code pages.
enum class TextEncoding : std::uint8_t { ebcdic, ascii, unknown };

/// Local. Returns "EBCDIC", "ASCII" or "unknown".
[[nodiscard]] constexpr std::string_view name_of(TextEncoding encoding) {
  switch (encoding) {
    case TextEncoding::ebcdic: return "EBCDIC";
    case TextEncoding::ascii: return "ASCII";
    case TextEncoding::unknown: break;
  }
  return "unknown";
}

/// Counts of the bytes of a text that are valid in each encoding.
struct TextCount {
  std::size_t nuls = 0;
  std::size_t ascii = 0;   ///< bytes that are printable characters, tabs or newlines in ASCII
  std::size_t ebcdic = 0;  ///< bytes that are printable characters, tabs or newlines in EBCDIC
  std::size_t ebcdic_blanks = 0;
};

/// Local. Counts the bytes of a text.
[[nodiscard]] TextCount count_text(std::span<const std::byte> bytes);

/// Local. Returns the encoding of a text, determined by its bytes. At least nine in ten of the bytes that are not NUL
/// must be printable characters, tabs or newlines in the encoding; the encoding with more such bytes is returned. If
/// more than half of the block is NUL (some programs pad lines with NUL), all other bytes must be such characters. In
/// each case at least eight bytes must not be NUL. Returns `unknown` if no encoding meets these conditions.
[[nodiscard]] TextEncoding detect_text_encoding(std::span<const std::byte, text_header_bytes> block);

/// Local. Returns true if a block of unknown content is text: it has an encoding, and at most half of its bytes are
/// NUL. Trace headers and samples may be all NUL except for a few bytes that happen to be printable.
[[nodiscard]] bool is_text_block(std::span<const std::byte, text_header_bytes> block);

/// Local. Returns the lines of a text header as UTF-8, 80 characters each, for display: NUL becomes a blank, and every
/// other byte that is not a printable character becomes a full stop. `unknown` is read as ASCII.
[[nodiscard]] std::array<std::string, text_header_lines> decode_text_header(
    std::span<const std::byte, text_header_bytes> block, TextEncoding encoding);

/// Local. Returns the lines of a text header for searching: in upper case, each run of characters that are neither
/// letters nor digits replaced by one blank, and a blank at both ends. All lines are empty if `text` has fewer than
/// 3200 bytes or the encoding is `unknown`.
[[nodiscard]] std::array<std::string, text_header_lines> plain_lines(std::span<const std::byte> text,
                                                                     TextEncoding encoding);

/// Local. Returns a few bytes as text for display: as ASCII if all bytes are printable ASCII or NUL; else as EBCDIC if
/// all bytes are printable or NUL in EBCDIC; else as ASCII with a full stop for each other byte. Trailing blanks and
/// NULs are removed. Bytes that are all blank in EBCDIC are treated as blank.
[[nodiscard]] std::string decode_short_text(std::span<const std::byte> bytes);

/// Local. Returns `bytes` of any length as ASCII, one character per byte: EBCDIC is decoded, ASCII is unchanged. ASCII
/// characters that are not printable are preserved, the next-line character (0x15 in EBCDIC) becomes a line feed, and
/// other characters beyond ASCII become '?'. For text that programs parse: stanzas.
[[nodiscard]] std::string decode_text(std::span<const std::byte> bytes, TextEncoding encoding);

/// Local. Writes at most 40 lines of at most 80 characters, given as UTF-8, padded with blanks, as EBCDIC or ASCII.
/// Characters must be printable ASCII; EBCDIC also allows printable Latin-1. Errors: usage, for more lines or
/// characters, for other characters, and for `unknown`.
void encode_text_header(std::span<const std::string> lines, TextEncoding encoding,
                        std::span<std::byte, text_header_bytes> block);

/// Local. Writes `lines` into `block`, which is in `encoding`, as encode_text_header does. The bytes of a line are
/// unchanged if the new line equals the line that decode_text_header returns, except for trailing blanks. A block of
/// `unknown` encoding is unchanged if this holds for all of its lines; otherwise it becomes EBCDIC. Errors: as
/// encode_text_header.
void set_text_lines(std::span<const std::string> lines, TextEncoding encoding,
                    std::span<std::byte, text_header_bytes> block);

}  // namespace sill::segy
