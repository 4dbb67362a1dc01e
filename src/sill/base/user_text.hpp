// Text from users, trimmed and quoted for messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sill {

/// Local. Returns `text` without blanks, tabs and newlines at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Local. Returns the value of the environment variable `name`, trimmed; nullopt if the variable is not set or is
/// empty.
[[nodiscard]] std::optional<std::string> environment_text(const char* name);

/// Local. Returns `text` in a form for messages. Control characters and invalid UTF-8 are replaced with escape
/// sequences such as `\n`, `\t` and `\x1B`. A text longer than `max_characters` is shortened to its beginning and
/// "...". Therefore no text can move the cursor, colour a terminal or bury the message. Precondition: max_characters >=
/// 3.
[[nodiscard]] std::string echoed(std::string_view text, std::size_t max_characters = 80);

}  // namespace sill
