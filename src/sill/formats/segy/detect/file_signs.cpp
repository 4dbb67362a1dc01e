#include "sill/formats/segy/detect/file_signs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "sill/base/ascii.hpp"
#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/words/binary_header.hpp"

namespace sill::segy {
namespace {

constexpr std::byte carriage_return{'\r'};
constexpr std::byte line_feed{'\n'};

/// Returns true if bytes 5-9 are "SY1.0" (SEG-Y) or "SD1.0" (SEG-D), or another revision, and bytes 10-15 are "RECORD".
bool begins_with_label(std::span<const std::byte> head, char letter) {
  if (std::ssize(head) < tape_label_bytes) return false;
  const auto at = [&](std::size_t byte) { return std::to_integer<char>(head[byte - 1]); };
  if (at(5) != 'S' || at(6) != letter || !is_digit(at(7)) || at(8) != '.' || !is_digit(at(9))) return false;
  constexpr std::string_view record = "RECORD";
  for (std::size_t i = 0; i < record.size(); ++i)
    if (at(10 + i) != record[i]) return false;
  return true;
}

}  // namespace

bool is_seg2(std::span<const std::byte> head) {
  if (head.size() < 4) return false;
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little})
    if (load<std::uint16_t>(head.data(), order) == 0x3A55 && load<std::uint16_t>(head.data() + 2, order) < 16)
      return true;
  return false;
}

std::optional<std::string> segd_format_of(std::span<const std::byte> head) {
  if (begins_with_label(head, 'D')) return "not known";
  constexpr std::size_t date_end = 16;
  if (head.size() < date_end) return std::nullopt;
  // Returns a digit: `byte` counts from 1, and each half of a byte is a digit. A digit above 9 makes all digits
  // invalid.
  bool are_digits = true;
  const auto digit = [&](std::size_t byte, bool is_second) {
    const int both = std::to_integer<int>(head[byte - 1]);
    const int value = is_second ? both & 0xF : both >> 4;
    are_digits = are_digits && value <= 9;
    return value;
  };
  const auto two = [&](std::size_t byte) { return 10 * digit(byte, false) + digit(byte, true); };
  const bool is_file_number_elsewhere = head[0] == std::byte{0xFF} && head[1] == std::byte{0xFF};
  const int file_number = is_file_number_elsewhere ? 1 : 100 * two(1) + two(2);
  const int arrangement =
      two(3);  // 0 multiplexed, 80 trace by trace, 90 the same with the least significant byte first
  const int samples = two(4);
  two(11);  // year
  const int day = 100 * digit(12, true) + two(13);
  const bool is_time = two(14) < 24 && two(15) < 60 && two(16) <= 60;
  constexpr std::array sample_codes = {15, 22, 24, 36, 38, 42, 44, 48, 58, 68, 80};
  if (!are_digits || !is_time || day > 366 || std::ranges::find(sample_codes, samples) == sample_codes.end())
    return std::nullopt;
  // For multiplexed data the format is a small number, like bytes 1-4 of a trace header, so more evidence is required.
  const bool is_multiplexed = arrangement == 0;
  if (!is_multiplexed && arrangement != 80 && arrangement != 90) return std::nullopt;
  if (is_multiplexed ? file_number == 0 || day == 0 : file_number == 0 && day == 0) return std::nullopt;
  return fmt::format("{:02}{:02}", arrangement, samples);
}

std::string rp66_version_of(std::span<const std::byte> head) {
  constexpr std::size_t label_end = 15;
  if (head.size() < label_end) return {};
  const std::string_view label(reinterpret_cast<const char*>(head.data()), label_end);
  const std::string_view version = label.substr(4, 5);
  const bool is_version = version[0] == 'V' && (version[1] == '1' || version[1] == '2') && version[2] == '.' &&
                          is_digit(version[3]) && is_digit(version[4]);
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return is_version && std::ranges::all_of(label.substr(9), is_capital) ? std::string(version) : std::string();
}

std::string_view packer_of(std::span<const std::byte> head) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, std::string_view> signs[] = {{"\x1F\x8B\x08"sv, "gzip"},
                                                                     {"\xFD"
                                                                      "7zXZ\0"sv,
                                                                      "xz"},
                                                                     {"\x28\xB5\x2F\xFD"sv, "zstd"},

                                                                     {"PK\x03\x04"sv, "zip"}};
  for (const auto& [sign, packer] : signs)
    if (head.size() >= sign.size() && std::memcmp(head.data(), sign.data(), sign.size()) == 0) return packer;
  constexpr std::string_view bzip2_block = "\x31\x41\x59\x26\x53\x59";  // after "BZh" and a digit
  if (head.size() >= 10 && std::memcmp(head.data(), "BZh", 3) == 0 &&
      std::memcmp(head.data() + 4, bzip2_block.data(), bzip2_block.size()) == 0)
    return "bzip2";
  return "";
}

std::optional<PasscalTrace> passcal_trace_of(std::span<const std::byte> head, std::int64_t file_bytes) {
  if (head.size() < trace_header_bytes) return std::nullopt;
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
    const auto word = [&](int byte) { return load<std::int16_t>(head.data() + byte - 1, order); };
    const auto long_word = [&](int byte) { return load<std::int32_t>(head.data() + byte - 1, order); };
    const std::int64_t samples = long_word(229);
    const int form = word(205);
    const std::int64_t interval_us = word(117) == 1 || word(117) == 0 ? long_word(201) : word(117);
    if (samples <= 0 || (form != 0 && form != 1) || interval_us <= 0) continue;
    const bool states_short = word(115) == samples || word(115) == std::numeric_limits<std::int16_t>::max();
    const int sample_bytes = form == 0 ? 2 : 4;
    if (states_short && file_bytes % (trace_header_bytes + samples * sample_bytes) == 0)
      return PasscalTrace{order, sample_bytes, samples, interval_us};
  }
  return std::nullopt;
}

bool is_plain_text(std::span<const std::byte> bytes) {
  const auto printable = std::count_if(bytes.begin(), bytes.end(), [](std::byte b) {
    const auto c = std::to_integer<unsigned char>(b);
    return (c >= 32 && c < 127) || c == '\n' || c == '\r' || c == '\t';
  });
  return 10 * printable >= 9 * std::ssize(bytes);
}

bool has_text_line_ends(std::span<const std::byte> bytes) {
  std::int64_t line_feeds = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != line_feed) continue;
    if (i == 0) continue;  // the preceding byte is unknown
    if (bytes[i - 1] != carriage_return) return false;
    ++line_feeds;
  }
  return line_feeds >= min_line_ends;
}

bool undoing_line_feeds_makes_sense(std::span<const std::byte, 400> binary_header) {
  std::array<std::byte, 400> undone{};
  std::size_t size = 0;
  for (std::size_t i = 0; i < binary_header.size(); ++i)
    if (i + 1 == binary_header.size() || binary_header[i] != carriage_return || binary_header[i + 1] != line_feed)
      undone[size++] = binary_header[i];
  if (size == undone.size()) return false;
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little})
    if (!meaning_of_code(read_binary_header(undone, order).format_code).empty()) return true;
  return false;
}

bool begins_with_tape_label(std::span<const std::byte> head) { return begins_with_label(head, 'Y'); }

bool has_name_of_su(std::string_view path) {
  std::string end(path.substr(path.size() - std::min<std::size_t>(3, path.size())));
  for (char& c : end) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return end == ".su";
}

}  // namespace sill::segy
