// Text from users, trimmed and quoted for messages.
#include "sill/base/user_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>

namespace sill {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view cut = "...";

// Returns the length in bytes of the UTF-8 character at the beginning of `text`; 0 if it is invalid or a control
// character.
std::size_t printable_bytes(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  const bool controls = first == 0xC2 && byte(1) < 0xA0;
  return controls ? 0 : length;
}

std::string escaped(char c) {
  switch (c) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
  }
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<std::string> environment_text(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr || trimmed(text).empty()) return std::nullopt;
  return std::string(trimmed(text));
}

std::string echoed(std::string_view text, std::size_t max_characters) {
  std::string shown;
  std::size_t kept_bytes = 0;
  std::size_t characters = 0;
  while (!text.empty()) {
    const std::size_t printable = printable_bytes(text);
    const std::string next = printable > 0 ? std::string(text.substr(0, printable)) : escaped(text.front());
    text.remove_prefix(printable > 0 ? printable : 1);
    characters += printable > 0 ? 1 : next.size();
    if (characters > max_characters) return shown.substr(0, kept_bytes) + std::string(cut);
    shown += next;
    if (characters <= max_characters - cut.size()) kept_bytes = shown.size();
  }
  return shown;
}

}  // namespace sill
