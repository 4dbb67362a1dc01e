// What is drawn: an image of pixels, lines and texts around it, for any kind of output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sill::flow::view {

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};

/// Pixels, row by row from the top, three bytes each: red, green, blue.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;

  Image() = default;
  Image(int columns, int rows, Colour colour);
  /// Local. Sets one pixel; those outside are left out.
  void set(int x, int y, Colour colour);
  /// Local. Sets a rectangle of pixels, as far as it lies inside.
  void fill(int x, int y, int columns, int rows, Colour colour);
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
  Image image;
  std::vector<Line> lines;
  std::vector<Label> labels;
};

}  // namespace sill::flow::view
