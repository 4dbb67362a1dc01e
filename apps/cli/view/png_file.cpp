#include "cli/view/png_file.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdint>
#include <exception>
#include <utility>

#include "cli/view/bitmap_font.hpp"
#include "sill/base/error.hpp"

namespace sill::cli {
namespace {

constexpr int band_rows = 64;

// libpng leaves a call that fails by longjmp: what it calls must not throw through it, and no object may need its
// destructor between.
class PngWriter {
 public:
  PngWriter(int width, int height, const Sink& sink) : sink_(sink) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      fail();
    }
    check(begin(width, height));
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  void write(const flow::view::Band& band) {
    const std::size_t row_bytes = static_cast<std::size_t>(band.width) * 3;
    for (std::size_t row = 0; row < static_cast<std::size_t>(band.rows); ++row)
      check(write_row(band.pixels.data() + row * row_bytes));
  }
  void finish() { check(end()); }

 private:
  bool begin(int width, int height) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;  // NOLINT(cert-err52-cpp): how libpng says it
    png_set_write_fn(png_, this, on_bytes, nullptr);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png_, info_, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png_, info_);
    return true;
  }
  bool write_row(const std::uint8_t* row) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;  // NOLINT(cert-err52-cpp)
    png_write_row(png_, row);
    return true;
  }
  bool end() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;  // NOLINT(cert-err52-cpp)
    png_write_end(png_, info_);
    return true;
  }

  void check(bool is_done) {
    if (thrown_) std::rethrow_exception(thrown_);
    if (!is_done) fail();
  }
  [[noreturn]] void fail() const {
    throw Error({.code = ErrorCode::io, .problem = fmt::format("libpng cannot make the picture: {}", message_.data())});
  }

  static void on_bytes(png_structp png, png_bytep bytes, std::size_t count) {
    auto& self = *static_cast<PngWriter*>(png_get_io_ptr(png));
    if (self.thrown_) return;
    try {
      self.sink_({reinterpret_cast<const char*>(bytes), count});
    } catch (...) {
      self.thrown_ = std::current_exception();
    }
  }
  static void on_error(png_structp png, const char* message) {
    auto& self = *static_cast<PngWriter*>(png_get_error_ptr(png));
    const std::string_view text = std::string_view(message).substr(0, self.message_.size() - 1);
    std::ranges::copy(text, self.message_.begin());
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp /*png*/, const char* /*message*/) {}

  const Sink& sink_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::exception_ptr thrown_;
  std::array<char, 128> message_{"no memory"};
};

}  // namespace

void write_png(int width, int height, const std::function<void(flow::view::Band&)>& draw, const Sink& sink) {
  PngWriter png(width, height, sink);
  for (int row = 0; row < height; row += band_rows) {
    constexpr flow::view::Colour white{255, 255, 255};
    flow::view::Band band(width, row, std::min(band_rows, height - row), white);
    draw(band);
    png.write(band);
  }
  png.finish();
}

void write_png_of(const flow::view::Drawing& drawing, const Sink& sink) {
  const auto draw = [&](flow::view::Band& band) {
    drawing.draw_image(band, drawing.image_x, drawing.image_y);
    for (const flow::view::Line& line : drawing.lines)
      band.fill(line.x1, line.y1, line.x2 - line.x1 + 1, line.y2 - line.y1 + 1, {0, 0, 0});
    for (const flow::view::Label& label : drawing.labels) {
      const int width = count_characters(label.text) * font_advance_px;
      const int left = label.anchor == flow::view::Anchor::begin    ? label.x
                       : label.anchor == flow::view::Anchor::middle ? label.x - width / 2
                                                                    : label.x - width;
      draw_text(band, left, label.y - font_height_px / 2, label.text);
    }
  };
  write_png(drawing.width, drawing.height, draw, sink);
}

void Base64::add(std::string_view bytes) {
  if (rest_.empty()) {
    const std::size_t whole = bytes.size() / 3 * 3;
    write(bytes.substr(0, whole));
    rest_ = bytes.substr(whole);
    return;
  }
  const std::size_t missing = std::min(3 - rest_.size(), bytes.size());
  rest_ += bytes.substr(0, missing);
  if (rest_.size() < 3) return;
  write(std::exchange(rest_, {}));
  add(bytes.substr(missing));
}

void Base64::finish() { write(std::exchange(rest_, {})); }

void Base64::write(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t b = 0; b < 3; ++b) bits = bits << 8U | (b < count ? static_cast<std::uint8_t>(bytes[i + b]) : 0U);
    for (std::size_t d = 0; d < 4; ++d) text += d <= count ? digits[bits >> (18 - 6 * d) & 63U] : '=';
  }
  sink_(text);
}

}  // namespace sill::cli
