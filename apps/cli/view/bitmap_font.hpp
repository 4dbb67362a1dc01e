// A font of 5 by 7 dots, for texts in pictures of pixels.
#pragma once

#include <string_view>

#include "sill/flow/view/drawing.hpp"

namespace sill::cli {

/// Dots are squares of 2 pixels: a character takes 12 by 14 pixels with the blank behind it.
inline constexpr int font_dot_px = 2;
inline constexpr int font_advance_px = 6 * font_dot_px;
inline constexpr int font_height_px = 7 * font_dot_px;

/// Local. Characters of a text: one for each that is printed, of whatever bytes in UTF-8.
[[nodiscard]] int count_characters(std::string_view text);

/// Local. Draws ASCII in black, its upper left corner at (x, y); a question mark for any other character.
void draw_text(flow::view::Band& image, int x, int y, std::string_view text);

}  // namespace sill::cli
