#include "cli/view/png_file.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "cli/view/bitmap_font.hpp"
#include "sill/base/error.hpp"

namespace sill::cli {

std::string png_of(const flow::view::Image& image) {
  png_image about{};
  about.version = PNG_IMAGE_VERSION;
  about.width = static_cast<png_uint_32>(image.width);
  about.height = static_cast<png_uint_32>(image.height);
  about.format = PNG_FORMAT_RGB;
  std::string png;
  png_alloc_size_t bytes = 0;
  // The first call returns how many bytes the second needs.
  for (const bool writes : {false, true}) {
    png.resize(bytes);
    const int done =
        png_image_write_to_memory(&about, writes ? png.data() : nullptr, &bytes, 0, image.pixels.data(), 0, nullptr);
    if (done == 0)
      throw Error({.code = ErrorCode::io, .problem = fmt::format("libpng cannot make the picture: {}", about.message)});
  }
  png.resize(bytes);
  return png;
}

flow::view::Image rendered(const flow::view::Drawing& drawing) {
  constexpr flow::view::Colour white{255, 255, 255};
  flow::view::Image page(drawing.width, drawing.height, white);
  const auto row_bytes = static_cast<std::size_t>(drawing.image.width) * 3;
  for (int y = 0; y < drawing.image.height; ++y) {
    const std::size_t from = static_cast<std::size_t>(y) * row_bytes;
    const std::size_t to = (static_cast<std::size_t>(drawing.image_y + y) * static_cast<std::size_t>(drawing.width) +
                            static_cast<std::size_t>(drawing.image_x)) *
                           3;
    std::copy_n(drawing.image.pixels.data() + from, row_bytes, page.pixels.data() + to);
  }
  for (const flow::view::Line& line : drawing.lines)
    page.fill(line.x1, line.y1, line.x2 - line.x1 + 1, line.y2 - line.y1 + 1, {0, 0, 0});
  for (const flow::view::Label& label : drawing.labels) {
    const int width = count_characters(label.text) * font_advance_px;
    const int left = label.anchor == flow::view::Anchor::begin    ? label.x
                     : label.anchor == flow::view::Anchor::middle ? label.x - width / 2
                                                                  : label.x - width;
    draw_text(page, left, label.y - font_height_px / 2, label.text);
  }
  return page;
}

std::string base64_of(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t b = 0; b < 3; ++b)
      bits = bits << 8U | (b < count ? std::to_integer<std::uint32_t>(bytes[i + b]) : 0U);
    for (std::size_t d = 0; d < 4; ++d) text += d <= count ? digits[bits >> (18 - 6 * d) & 63U] : '=';
  }
  return text;
}

}  // namespace sill::cli
