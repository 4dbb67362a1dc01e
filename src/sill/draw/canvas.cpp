#include "sill/draw/canvas.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csetjmp>
#include <exception>
#include <memory>
#include <numbers>

#include "sill/base/error.hpp"

namespace sill::draw {
namespace {

constexpr int band_rows = 64;
constexpr double points_per_inch = 72.0;

const CairoLibrary& cairo() { return CairoLibrary::get(); }

void require_drawn(int status) {
  if (status == 0) return;
  throw Error({.code = ErrorCode::io,
               .problem = fmt::format("Cairo cannot draw the picture: {}", cairo().status_to_string(status))});
}

struct SurfaceEnd {
  void operator()(CairoSurface* surface) const { cairo().surface_destroy(surface); }
};
struct ContextEnd {
  void operator()(CairoContext* context) const { cairo().destroy(context); }
};
using Surface = std::unique_ptr<CairoSurface, SurfaceEnd>;
using Context = std::unique_ptr<CairoContext, ContextEnd>;

// A PNG of 8-bit red, green and blue, written row by row. libpng reports an error by longjmp: callbacks must not throw
// through libpng, and no object between setjmp and longjmp may need its destructor.
class PngWriter {
 public:
  PngWriter(int width, int height, double dpi, const TextSink& sink) : sink_(sink) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      fail();
    }
    check(begin(width, height, dpi));
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  void write_row(const std::uint8_t* row) { check(row_is_written(row)); }
  void finish() { check(end()); }

 private:
  bool begin(int width, int height, double dpi) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;  // NOLINT(cert-err52-cpp): how libpng reports errors
    png_set_write_fn(png_, this, on_bytes, nullptr);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    constexpr double inches_per_metre = 1000.0 / 25.4;
    const auto per_metre = static_cast<png_uint_32>(std::lround(dpi * inches_per_metre));
    png_set_pHYs(png_, info_, per_metre, per_metre, PNG_RESOLUTION_METER);
    png_set_sRGB(png_, info_, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png_, info_);
    return true;
  }
  bool row_is_written(const std::uint8_t* row) {
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

  const TextSink& sink_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::exception_ptr thrown_;
  std::array<char, 128> message_{"no memory"};
};

// Cairo calls `write`; no exception may pass through Cairo.
struct SinkCall {
  const TextSink& sink;
  std::exception_ptr thrown;

  static int write(void* closure, const unsigned char* bytes, unsigned int count) {
    auto& self = *static_cast<SinkCall*>(closure);
    if (self.thrown) return cairo_status_write_error;
    try {
      self.sink({reinterpret_cast<const char*>(bytes), count});
    } catch (...) {
      self.thrown = std::current_exception();
      return cairo_status_write_error;
    }
    return 0;
  }
};

// Without hinting, texts have the same width in pixels as in vector files.
void select_font(CairoContext* context, double size) {
  cairo().select_font_face(context, "sans-serif", 0, 0);
  cairo().set_font_size(context, size);
  CairoFontOptions* const options = cairo().font_options_create();
  cairo().font_options_set_hint_style(options, cairo_hint_style_none);
  cairo().font_options_set_hint_metrics(options, cairo_hint_metrics_off);
  cairo().set_font_options(context, options);
  cairo().font_options_destroy(options);
}

void draw_page(CairoContext* context, const PageSize& size, int first_y, int end_y,
               const std::function<void(Canvas&)>& draw) {
  Canvas canvas(context, first_y, end_y);
  canvas.set_colour(white);
  canvas.rectangle(0, 0, size.width, size.height);
  cairo().set_line_join(context, cairo_line_join_bevel);
  draw(canvas);
  require_drawn(cairo().status(context));
}

void write_bands(const PageSize& size, const std::function<void(Canvas&)>& draw, const TextSink& sink) {
  PngWriter png(size.width, size.height, size.dpi, sink);
  std::vector<std::uint8_t> row(static_cast<std::size_t>(size.width) * 3);
  for (int first = 0; first < size.height; first += band_rows) {
    const int rows = std::min(band_rows, size.height - first);
    const Surface surface(cairo().image_surface_create(cairo_format_rgb24, size.width, rows));
    require_drawn(cairo().surface_status(surface.get()));
    {
      const Context context(cairo().create(surface.get()));
      cairo().translate(context.get(), 0.0, -first);
      draw_page(context.get(), size, first, first + rows, draw);
    }
    cairo().surface_flush(surface.get());
    const unsigned char* const data = cairo().image_surface_get_data(surface.get());
    const int stride = cairo().image_surface_get_stride(surface.get());
    for (int y = 0; y < rows; ++y) {
      const auto* const pixels = reinterpret_cast<const std::uint32_t*>(data + static_cast<std::ptrdiff_t>(y) * stride);
      for (std::size_t x = 0; x < static_cast<std::size_t>(size.width); ++x)
        for (std::size_t c = 0; c < 3; ++c) row[3 * x + c] = static_cast<std::uint8_t>(pixels[x] >> (16 - 8 * c));
      png.write_row(row.data());
    }
  }
  png.finish();
}

}  // namespace

TextMeasure::TextMeasure() : surface_(cairo().image_surface_create(cairo_format_rgb24, 1, 1)) {
  context_ = cairo().create(surface_);
}

TextMeasure::~TextMeasure() {
  cairo().destroy(context_);
  cairo().surface_destroy(surface_);
}

double TextMeasure::width(std::string_view text, double size) const {
  select_font(context_, size);
  CairoTextExtents extents{};
  cairo().text_extents(context_, std::string(text).c_str(), &extents);
  require_drawn(cairo().status(context_));
  return extents.x_advance;
}

std::string TextMeasure::shortened(std::string_view text, double size, double width) const {
  if (this->width(text, size) <= width) return std::string(text);
  // Cut only between UTF-8 characters.
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) begins.push_back(i);
  for (std::size_t kept = begins.size() - 1; kept > 0; --kept) {
    const std::size_t front = begins[(kept + 1) / 2];
    const std::size_t back = kept / 2 == 0 ? text.size() : begins[begins.size() - kept / 2];
    std::string shorter = std::string(text.substr(0, front)) + "\u2026" + std::string(text.substr(back));
    if (this->width(shorter, size) <= width) return shorter;
  }
  return "";
}

void Canvas::set_colour(Colour colour, double alpha) {
  cairo().set_source_rgba(context_, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0, alpha);
}
void Canvas::set_line_width(double width) { cairo().set_line_width(context_, width); }
void Canvas::line(double x1, double y1, double x2, double y2) {
  move_to(x1, y1);
  line_to(x2, y2);
  stroke();
}
void Canvas::rectangle(double x, double y, double width, double height) {
  cairo().rectangle(context_, x, y, width, height);
  fill();
}
void Canvas::outline(double x, double y, double width, double height) {
  cairo().rectangle(context_, x, y, width, height);
  stroke();
}
void Canvas::circle(double x, double y, double radius) {
  cairo().new_path(context_);
  cairo().arc(context_, x, y, radius, 0.0, 2.0 * std::numbers::pi);
  fill();
}
void Canvas::move_to(double x, double y) { cairo().move_to(context_, x, y); }
void Canvas::line_to(double x, double y) { cairo().line_to(context_, x, y); }
void Canvas::close() { cairo().close_path(context_); }
void Canvas::fill() { cairo().fill(context_); }
void Canvas::stroke() { cairo().stroke(context_); }

void Canvas::text(double x, double y, Anchor anchor, std::string_view text, double size, double angle) {
  if (text.empty()) return;
  const std::string terminated(text);
  cairo().save(context_);
  select_font(context_, size);
  CairoTextExtents extents{};
  cairo().text_extents(context_, terminated.c_str(), &extents);
  const double share = anchor == Anchor::begin ? 0.0 : anchor == Anchor::middle ? 0.5 : 1.0;
  constexpr double half_digit = 0.36;  // of the size
  cairo().translate(context_, x, y);
  cairo().rotate(context_, angle);
  cairo().move_to(context_, -share * extents.x_advance, half_digit * size);
  cairo().show_text(context_, terminated.c_str());
  cairo().new_path(context_);
  cairo().restore(context_);
}

void Canvas::image(const Image& image, double x, double y) {
  if (image.pixels.empty()) return;
  // Cairo does not write to it.
  auto* const data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(image.pixels.data()));
  const Surface surface(
      cairo().image_surface_create_for_data(data, cairo_format_rgb24, image.width, image.height, 4 * image.width));
  require_drawn(cairo().surface_status(surface.get()));
  cairo().save(context_);
  cairo().set_source_surface(context_, surface.get(), x, y);
  cairo().pattern_set_filter(cairo().get_source(context_), cairo_filter_nearest);
  cairo().paint(context_);
  cairo().restore(context_);
  // Surfaces that use the image later copy it now.
  cairo().surface_finish(surface.get());
}

void Canvas::within(double x, double y, double width, double height, const std::function<void()>& draw) {
  cairo().save(context_);
  cairo().new_path(context_);
  cairo().rectangle(context_, x, y, width, height);
  cairo().clip(context_);
  draw();
  cairo().restore(context_);
}

std::string font_warning() {
  if (cairo().has_font) return {};
  return "warning: no font was found, so the texts of pictures consist of plain strokes; install fonts-dejavu-core "
         "(Debian), or another font that fontconfig finds";
}

void write_picture(PictureForm form, const PageSize& size, const std::string& title,
                   const std::function<void(Canvas&)>& draw, const TextSink& sink) {
  if (form == PictureForm::png) return write_bands(size, draw, sink);
  SinkCall call{sink, {}};
  const bool is_svg = form == PictureForm::svg;
  const double unit = is_svg ? 1.0 : points_per_inch / size.dpi;
  const auto create = is_svg ? cairo().svg_surface_create_for_stream : cairo().pdf_surface_create_for_stream;
  const Surface surface(create(&SinkCall::write, &call, unit * size.width, unit * size.height));
  require_drawn(cairo().surface_status(surface.get()));
  if (is_svg)
    cairo().svg_surface_set_document_unit(surface.get(), cairo_svg_unit_px);
  else
    cairo().pdf_surface_set_metadata(surface.get(), cairo_pdf_metadata_title, title.c_str());
  {
    const Context context(cairo().create(surface.get()));
    cairo().scale(context.get(), unit, unit);
    draw_page(context.get(), size, 0, size.height, draw);
  }
  cairo().surface_finish(surface.get());
  if (call.thrown) std::rethrow_exception(call.thrown);
  require_drawn(cairo().surface_status(surface.get()));
}

}  // namespace sill::draw
