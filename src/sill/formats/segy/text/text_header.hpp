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
/// What follows in blocks of this size: extended text headers, and trailers.
inline constexpr std::int64_t text_block_bytes = text_header_bytes;
inline constexpr std::size_t text_header_lines = 40;
inline constexpr std::size_t text_header_columns = 80;

/// The characters a text header is written in. `ebcdic` is code page 037. Code page 500 has seven other characters, at
/// 0x4A 0x4F 0x5A 0x5F 0xB0 0xBA 0xBB ([ ! ] ^ and others); nothing in a file distinguishes the two.
enum class TextEncoding : std::uint8_t { ebcdic, ascii, unknown };

/// "EBCDIC", "ASCII" or "unknown".
[[nodiscard]] constexpr std::string_view name_of(TextEncoding encoding) {
  switch (encoding) {
    case TextEncoding::ebcdic: return "EBCDIC";
    case TextEncoding::ascii: return "ASCII";
    case TextEncoding::unknown: break;
  }
  return "unknown";
}

/// What the bytes of a text are in each encoding.
struct TextCount {
  std::size_t nuls = 0;
  std::size_t ascii = 0;   ///< bytes that are printable, or end a line, in ASCII
  std::size_t ebcdic = 0;  ///< the same in EBCDIC
  std::size_t ebcdic_blanks = 0;
};

/// Local. Counts them.
[[nodiscard]] TextCount count_text(std::span<const std::byte> bytes);

/// Local. The encoding that the bytes are text in, by evidence: nine in ten of the bytes that are not NUL must be
/// printable characters or ends of line in it, and the more of them decide. Where more than half of the block is NUL,
/// as programs leave it that pad lines so, all others must be, and be eight at least. `unknown` if that holds for
/// neither.
[[nodiscard]] TextEncoding detect_text_encoding(std::span<const std::byte, text_header_bytes> block);

/// Local. Whether a block of which nobody says what it is holds text: it has an encoding, and at most half of it is
/// NUL. Headers of traces and samples may be NUL but for a few bytes that happen to be printable.
[[nodiscard]] bool is_text_block(std::span<const std::byte, text_header_bytes> block);

/// Local. The lines of a text header as UTF-8, 80 characters each, to be shown: NUL becomes a blank, every other byte
/// that is no printable character a full stop. `unknown` is read as ASCII.
[[nodiscard]] std::array<std::string, text_header_lines> decode_text_header(
    std::span<const std::byte, text_header_bytes> block, TextEncoding encoding);

/// Local. The lines of a text header to be searched: in capitals, what is neither letter nor digit as one blank, a
/// blank at both ends. All are empty if `text` has fewer than 3200 bytes or the encoding is `unknown`.
[[nodiscard]] std::array<std::string, text_header_lines> plain_lines(std::span<const std::byte> text,
                                                                     TextEncoding encoding);

/// Local. The text of a few bytes, to be shown: as ASCII if all are printable ASCII, NUL or blank, else as EBCDIC if
/// all are in that, else as ASCII with a full stop for each byte that is not. Blanks and NUL at the end are left off;
/// bytes that are blank in EBCDIC alone are blank.
[[nodiscard]] std::string decode_short_text(std::span<const std::byte> bytes);

/// Local. `bytes` of any length as ASCII, one character a byte: EBCDIC decoded, ASCII as it is; characters that are not
/// printable stay what they are, those beyond ASCII become '?'. For what is read by machines: stanzas.
[[nodiscard]] std::string decode_text(std::span<const std::byte> bytes, TextEncoding encoding);

/// Local. Writes at most 40 lines of at most 80 characters, given as UTF-8, filled up with blanks, as EBCDIC or ASCII:
/// printable characters of ASCII, in EBCDIC also those of Latin-1. Errors: usage, for more lines or characters, or
/// others, and for `unknown`.
void encode_text_header(std::span<const std::string> lines, TextEncoding encoding,
                        std::span<std::byte, text_header_bytes> block);

/// Local. Makes `block`, which is in `encoding`, hold `lines`, as encode_text_header; but a line that is given as
/// decode_text_header shows it, blanks at its end aside, keeps its bytes, whatever they are. A block of an `unknown`
/// encoding keeps all of its lines or becomes EBCDIC. Errors: as encode_text_header.
void set_text_lines(std::span<const std::string> lines, TextEncoding encoding,
                    std::span<std::byte, text_header_bytes> block);

}  // namespace sill::segy
