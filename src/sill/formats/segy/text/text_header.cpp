// Decodes, encodes and recognizes text headers.
#include "sill/formats/segy/text/text_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"

namespace sill::segy {
namespace {

// Code page 037: the Unicode code point, all below 256, of each byte.
constexpr std::array<std::uint8_t, 256> code_points_of_ebcdic = {
    0x00, 0x01, 0x02, 0x03, 0x9C, 0x09, 0x86, 0x7F, 0x97, 0x8D, 0x8E, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F,  //
    0x10, 0x11, 0x12, 0x13, 0x9D, 0x85, 0x08, 0x87, 0x18, 0x19, 0x92, 0x8F, 0x1C, 0x1D, 0x1E, 0x1F,  //
    0x80, 0x81, 0x82, 0x83, 0x84, 0x0A, 0x17, 0x1B, 0x88, 0x89, 0x8A, 0x8B, 0x8C, 0x05, 0x06, 0x07,  //
    0x90, 0x91, 0x16, 0x93, 0x94, 0x95, 0x96, 0x04, 0x98, 0x99, 0x9A, 0x9B, 0x14, 0x15, 0x9E, 0x1A,  //
    0x20, 0xA0, 0xE2, 0xE4, 0xE0, 0xE1, 0xE3, 0xE5, 0xE7, 0xF1, 0xA2, 0x2E, 0x3C, 0x28, 0x2B, 0x7C,  //
    0x26, 0xE9, 0xEA, 0xEB, 0xE8, 0xED, 0xEE, 0xEF, 0xEC, 0xDF, 0x21, 0x24, 0x2A, 0x29, 0x3B, 0xAC,  //
    0x2D, 0x2F, 0xC2, 0xC4, 0xC0, 0xC1, 0xC3, 0xC5, 0xC7, 0xD1, 0xA6, 0x2C, 0x25, 0x5F, 0x3E, 0x3F,  //
    0xF8, 0xC9, 0xCA, 0xCB, 0xC8, 0xCD, 0xCE, 0xCF, 0xCC, 0x60, 0x3A, 0x23, 0x40, 0x27, 0x3D, 0x22,  //
    0xD8, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0xAB, 0xBB, 0xF0, 0xFD, 0xFE, 0xB1,  //
    0xB0, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70, 0x71, 0x72, 0xAA, 0xBA, 0xE6, 0xB8, 0xC6, 0xA4,  //
    0xB5, 0x7E, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0xA1, 0xBF, 0xD0, 0xDD, 0xDE, 0xAE,  //
    0x5E, 0xA3, 0xA5, 0xB7, 0xA9, 0xA7, 0xB6, 0xBC, 0xBD, 0xBE, 0x5B, 0x5D, 0xAF, 0xA8, 0xB4, 0xD7,  //
    0x7B, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0xAD, 0xF4, 0xF6, 0xF2, 0xF3, 0xF5,  //
    0x7D, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F, 0x50, 0x51, 0x52, 0xB9, 0xFB, 0xFC, 0xF9, 0xFA, 0xFF,  //
    0x5C, 0xF7, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0xB2, 0xD4, 0xD6, 0xD2, 0xD3, 0xD5,  //
    0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0xB3, 0xDB, 0xDC, 0xD9, 0xDA, 0x9F,  //
};

constexpr std::array<std::uint8_t, 256> ebcdic_of_code_points = [] {
  std::array<std::uint8_t, 256> result{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    result[code_points_of_ebcdic[byte]] = static_cast<std::uint8_t>(byte);
  }
  return result;
}();

constexpr bool is_printable_ascii(std::uint8_t code) { return code >= 0x20 && code <= 0x7E; }

constexpr bool is_text_of_ascii(std::uint8_t byte) {
  return is_printable_ascii(byte) || byte == '\t' || byte == '\r' || byte == '\n';
}

constexpr bool is_text_of_ebcdic(std::uint8_t byte) {
  constexpr std::uint8_t next_line = 0x85;  // the character that 0x15, the newline of mainframes, decodes to
  const std::uint8_t code = code_points_of_ebcdic[byte];
  return is_text_of_ascii(code) || code == next_line;
}

constexpr std::uint8_t no_break_space = 0xA0;

// Returns true for visible characters of Latin-1 beyond ASCII.
constexpr bool is_printable_latin(std::uint8_t code) {
  constexpr std::uint8_t soft_hyphen = 0xAD;
  return code > no_break_space && code != soft_hyphen;
}

/// Appends the character that represents `code` on display.
void append_shown(std::string& line, std::uint8_t code) {
  if (code == 0 || code == no_break_space) {
    line += ' ';
  } else if (is_printable_ascii(code)) {
    line += static_cast<char>(code);
  } else if (is_printable_latin(code)) {
    line += static_cast<char>(0xC0U | (code >> 6U));
    line += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    line += '.';
  }
}

// Returns the characters of a UTF-8 line; 0 for each that is not printable Latin-1.
std::vector<std::uint8_t> codes_of(std::string_view line) {
  std::vector<std::uint8_t> codes;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(line[i]);
    const auto next = i + 1 < line.size() ? static_cast<std::uint8_t>(line[i + 1]) : std::uint8_t{0};
    std::uint8_t code = is_printable_ascii(byte) ? byte : std::uint8_t{0};
    if ((byte == 0xC2 || byte == 0xC3) && next >= 0x80 && next < 0xC0) {
      const auto latin = static_cast<std::uint8_t>(((byte & 0x03U) << 6U) | (next & 0x3FU));
      if (is_printable_latin(latin)) code = latin;
    }
    while (i + 1 < line.size() && (static_cast<std::uint8_t>(line[i + 1]) & 0xC0U) == 0x80) ++i;
    codes.push_back(code);
  }
  return codes;
}

std::string_view without_blanks_at_end(std::string_view line) { return line.substr(0, line.find_last_not_of(' ') + 1); }

}  // namespace

TextCount count_text(std::span<const std::byte> bytes) {
  TextCount count;
  for (const std::byte b : bytes) {
    const auto byte = std::to_integer<std::uint8_t>(b);
    if (byte == 0) ++count.nuls;
    if (is_text_of_ascii(byte)) ++count.ascii;
    if (is_text_of_ebcdic(byte)) ++count.ebcdic;
    if (byte == 0x40) ++count.ebcdic_blanks;
  }
  return count;
}

TextEncoding detect_text_encoding(std::span<const std::byte, text_header_bytes> block) {
  const auto [nuls, ascii, ebcdic, ebcdic_blanks] = count_text(block);
  constexpr std::size_t min_characters = 8;
  const std::size_t others = text_header_bytes - nuls;
  if (others < min_characters) return TextEncoding::unknown;
  const std::size_t enough = nuls > text_header_bytes / 2 ? others : others * 9 / 10;
  if (ascii < enough && ebcdic < enough) return TextEncoding::unknown;
  // The EBCDIC blank is '@' in ASCII, so it is not evidence for ASCII.
  return ebcdic > ascii - ebcdic_blanks ? TextEncoding::ebcdic : TextEncoding::ascii;
}

bool is_text_block(std::span<const std::byte, text_header_bytes> block) {
  return 2 * count_text(block).nuls <= block.size() && detect_text_encoding(block) != TextEncoding::unknown;
}

std::array<std::string, text_header_lines> decode_text_header(std::span<const std::byte, text_header_bytes> block,
                                                              TextEncoding encoding) {
  std::array<std::string, text_header_lines> lines;
  for (std::size_t i = 0; i < text_header_bytes; ++i) {
    auto code = std::to_integer<std::uint8_t>(block[i]);
    if (encoding == TextEncoding::ebcdic) {
      code = code_points_of_ebcdic[code];
    } else if (code >= 0x80) {
      code = 0x7F;  // not an ASCII character; displayed like a control character
    }
    append_shown(lines[i / text_header_columns], code);
  }
  return lines;
}

std::array<std::string, text_header_lines> plain_lines(std::span<const std::byte> text, TextEncoding encoding) {
  std::array<std::string, text_header_lines> lines;
  if (text.size() < text_header_bytes || encoding == TextEncoding::unknown) return lines;
  const auto decoded = decode_text_header(text.first<text_header_bytes>(), encoding);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i] = " ";
    for (const char c : decoded[i]) {
      const auto letter = static_cast<unsigned char>(c);
      if (std::isalnum(letter) != 0)
        lines[i] += static_cast<char>(std::toupper(letter));
      else if (lines[i].back() != ' ')
        lines[i] += ' ';
    }
    lines[i] += ' ';
  }
  return lines;
}

std::string decode_short_text(std::span<const std::byte> bytes) {
  const auto text_in = [&](auto&& code_of, bool& all_printable) {
    std::string text;
    for (const std::byte byte : bytes) {
      const std::uint8_t code = code_of(std::to_integer<std::uint8_t>(byte));
      if (code != 0 && !is_printable_ascii(code)) all_printable = false;
      text += code == 0 ? ' ' : is_printable_ascii(code) ? static_cast<char>(code) : '.';
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  bool is_ascii = true;
  bool is_ebcdic = true;
  std::string ascii = text_in([](std::uint8_t byte) { return byte; }, is_ascii);
  std::string ebcdic = text_in([](std::uint8_t byte) { return code_points_of_ebcdic[byte]; }, is_ebcdic);
  const bool blank_in_ebcdic = is_ebcdic && ebcdic.empty();
  return blank_in_ebcdic || (is_ebcdic && !is_ascii) ? ebcdic : ascii;
}

std::string decode_text(std::span<const std::byte> bytes, TextEncoding encoding) {
  std::string text;
  text.reserve(bytes.size());
  for (const std::byte byte : bytes) {
    auto code = std::to_integer<std::uint8_t>(byte);
    if (encoding == TextEncoding::ebcdic) code = code_points_of_ebcdic[code];
    text += code < 0x80 ? static_cast<char>(code) : code == 0x85 ? '\n' : '?';
  }
  return text;
}

void encode_text_header(std::span<const std::string> lines, TextEncoding encoding,
                        std::span<std::byte, text_header_bytes> block) {
  const auto refuse = [&](std::string problem) {
    throw Error({.code = ErrorCode::usage,
                 .problem = std::move(problem),
                 .clause = "SEG-Y rev 1, bytes 1-3200",
                 .action = fmt::format("write at most 40 lines of at most 80 printable characters of {}",
                                       encoding == TextEncoding::ebcdic ? "Latin-1" : "ASCII")});
  };
  if (encoding == TextEncoding::unknown) refuse("a text header needs an encoding, EBCDIC or ASCII");
  if (lines.size() > text_header_lines) refuse(fmt::format("a text header of {} lines is too long", lines.size()));
  const bool is_ebcdic = encoding == TextEncoding::ebcdic;
  std::ranges::fill(block, std::byte{is_ebcdic ? ebcdic_of_code_points[' '] : std::uint8_t{' '}});
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const std::vector<std::uint8_t> codes = codes_of(lines[n]);
    if (codes.size() > text_header_columns)
      refuse(fmt::format("line {} of the text header has {} characters", n + 1, codes.size()));
    for (std::size_t column = 0; column < codes.size(); ++column) {
      const std::uint8_t code = codes[column];
      if (code == 0 || (!is_ebcdic && !is_printable_ascii(code)))
        refuse(fmt::format("line {} of the text header has a character at column {} that is not printable {}", n + 1,
                           column + 1, is_ebcdic ? "in EBCDIC" : "ASCII"));
      block[n * text_header_columns + column] = std::byte{is_ebcdic ? ebcdic_of_code_points[code] : code};
    }
  }
}

void set_text_lines(std::span<const std::string> lines, TextEncoding encoding,
                    std::span<std::byte, text_header_bytes> block) {
  std::array<std::byte, text_header_bytes> fresh{};
  const bool is_unknown = encoding == TextEncoding::unknown;
  encode_text_header(lines, is_unknown ? TextEncoding::ebcdic : encoding, fresh);
  const auto shown = decode_text_header(block, encoding);
  std::size_t kept = 0;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    if (without_blanks_at_end(lines[n]) != without_blanks_at_end(shown[n])) continue;
    std::ranges::copy(std::span(block).subspan(n * text_header_columns, text_header_columns),
                      fresh.begin() + static_cast<std::ptrdiff_t>(n * text_header_columns));
    ++kept;
  }
  if (is_unknown && kept < text_header_lines) encode_text_header(lines, TextEncoding::ebcdic, fresh);
  std::ranges::copy(fresh, block.begin());
}

}  // namespace sill::segy
