#include "sill/flow/view/drawing.hpp"

#include <algorithm>

namespace sill::flow::view {

Band::Band(int columns, int first, int count, Colour colour)
    : width(columns),
      first_row(first),
      rows(count),
      pixels(static_cast<std::size_t>(columns) * static_cast<std::size_t>(count) * 3) {
  fill(0, first, columns, count, colour);
}

void Band::set(int x, int y, Colour colour) {
  if (x < 0 || y < first_row || x >= width || y >= first_row + rows) return;
  const std::size_t at =
      3 * (static_cast<std::size_t>(y - first_row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  pixels[at] = colour.red;
  pixels[at + 1] = colour.green;
  pixels[at + 2] = colour.blue;
}

void Band::fill(int x, int y, int columns, int count, Colour colour) {
  for (int row = std::max(first_row, y); row < std::min(first_row + rows, y + count); ++row)
    for (int column = std::max(0, x); column < std::min(width, x + columns); ++column) set(column, row, colour);
}

}  // namespace sill::flow::view
