#include "sill/flow/view/drawing.hpp"

#include <algorithm>

namespace sill::flow::view {

Image::Image(int columns, int rows, Colour colour)
    : width(columns), height(rows), pixels(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows) * 3) {
  fill(0, 0, columns, rows, colour);
}

void Image::set(int x, int y, Colour colour) {
  if (x < 0 || y < 0 || x >= width || y >= height) return;
  const std::size_t at =
      3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  pixels[at] = colour.red;
  pixels[at + 1] = colour.green;
  pixels[at + 2] = colour.blue;
}

void Image::fill(int x, int y, int columns, int rows, Colour colour) {
  for (int row = std::max(0, y); row < std::min(height, y + rows); ++row)
    for (int column = std::max(0, x); column < std::min(width, x + columns); ++column) set(column, row, colour);
}

}  // namespace sill::flow::view
