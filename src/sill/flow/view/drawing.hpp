// What is drawn: an image of pixels, lines and texts around it, for any kind of output.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sill::flow::view {

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};

/// Some rows of an image, which is drawn band by band: pixels row by row, three bytes each: red, green, blue.
struct Band {
  int width = 0;
  int first_row = 0;
  int rows = 0;
  std::vector<std::uint8_t> pixels;

  Band(int columns, int first, int count, Colour colour);
  /// Local. Sets one pixel of the image; those outside the band are left out.
  void set(int x, int y, Colour colour);
  /// Local. Sets a rectangle of pixels of the image, as far as it lies in the band.
  void fill(int x, int y, int columns, int count, Colour colour);
};

/// A horizontal or vertical line, both ends included.
struct Line {
  int x1 = 0;
  int y1 = 0;
  int x2 = 0;
  int y2 = 0;
};

enum class Anchor : std::uint8_t { begin, middle, end };

/// A text whose middle is at height `y`.
struct Label {
  int x = 0;
  int y = 0;
  Anchor anchor = Anchor::begin;
  std::string text;
};

/// Pixels that a character takes, one beside and one below the other; fonts of other outputs must not need more.
inline constexpr int character_px = 12;
inline constexpr int text_line_px = 20;

struct Drawing {
  int width = 0;
  int height = 0;
  int image_x = 0;
  int image_y = 0;
  int image_width = 0;
  int image_height = 0;
  /// Draws what lies in the band of the image whose upper left corner is at these pixels of it.
  std::function<void(Band&, int x, int y)> draw_image;
  std::vector<Line> lines;
  std::vector<Label> labels;
};

}  // namespace sill::flow::view
