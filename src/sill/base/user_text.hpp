// Texts that users gave: without the blanks around them, and as they are shown in messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sill {

/// Local. `text` without blanks, tabs and ends of line at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Local. The environment variable `name`, trimmed; nothing if it is not set or empty.
[[nodiscard]] std::optional<std::string> environment_text(const char* name);

/// Local. `text` for a message: control characters and what is no UTF-8 as `\n`, `\t` or `\x1B`, and of more than
/// `max_characters` the first of them and "...". So no text can move the cursor, colour a terminal or bury the
/// message. Precondition: max_characters >= 3.
[[nodiscard]] std::string echoed(std::string_view text, std::size_t max_characters = 80);

}  // namespace sill
