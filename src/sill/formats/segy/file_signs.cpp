#include "sill/formats/segy/file_signs.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/binary_header.hpp"
#include "sill/formats/segy/file_description.hpp"

namespace sill::segy {
namespace {

constexpr std::byte carriage_return{'\r'};
constexpr std::byte line_feed{'\n'};

}  // namespace

bool is_seg2(std::span<const std::byte> head) {
  if (head.size() < 4) return false;
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little})
    if (load<std::uint16_t>(head.data(), order) == 0x3A55 && load<std::uint16_t>(head.data() + 2, order) < 16)
      return true;
  return false;
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
    if (i == 0) continue;  // what was before it is not known
    if (bytes[i - 1] != carriage_return) return false;
    ++line_feeds;
  }
  return line_feeds >= fewest_line_ends;
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

bool begins_with_tape_label(std::span<const std::byte> head) {
  if (std::ssize(head) < tape_label_bytes) return false;
  const auto at = [&](std::size_t byte) { return std::to_integer<char>(head[byte - 1]); };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (at(5) != 'S' || at(6) != 'Y' || !is_digit(at(7)) || at(8) != '.' || !is_digit(at(9))) return false;
  constexpr std::string_view record = "RECORD";
  for (std::size_t i = 0; i < record.size(); ++i)
    if (at(10 + i) != record[i]) return false;
  return true;
}

bool has_name_of_su(std::string_view path) {
  std::string end(path.substr(path.size() - std::min<std::size_t>(3, path.size())));
  for (char& c : end) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return end == ".su";
}

}  // namespace sill::segy
