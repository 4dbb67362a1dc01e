// Texts that users gave: without the blanks around them, and as they are told back.
#pragma once

#include <string>
#include <string_view>

namespace sill {

/// Local. `text` without blanks, tabs and ends of line at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Local. `text` for a message: control characters and what is no UTF-8 as `\n`, `\t` or `\x1B`, and of more than 80
/// characters the first 77 and "...". So no text can move the cursor, colour a terminal or bury the message.
[[nodiscard]] std::string echoed(std::string_view text);

}  // namespace sill
