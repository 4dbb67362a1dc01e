// A page that one draws on, whatever kind of file it becomes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sill/draw/cairo_library.hpp"
#include "sill/draw/colours.hpp"
#include "sill/draw/sink.hpp"

namespace sill::draw {

enum class PictureForm : std::uint8_t { png, svg, pdf };

/// Of a page, in pixels; those of SVG are user units, those of PDF have a size by `dpi`.
struct PageSize {
  int width = 1200;
  int height = 800;
  double dpi = 96.0;
};

/// Where a text stands from its point.
enum class Anchor : std::uint8_t { begin, middle, end };

/// Pixels of an image, row by row: 0x00RRGGBB.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint32_t> pixels;

  Image(int columns, int rows)
      : width(columns), height(rows), pixels(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}
  void set(int x, int y, Colour colour) {
    pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)] =
        static_cast<std::uint32_t>(colour.red) << 16U | static_cast<std::uint32_t>(colour.green) << 8U | colour.blue;
  }
};

/// Widths of texts. Errors: io, if Cairo or a font is missing.
class TextMeasure {
 public:
  TextMeasure();
  ~TextMeasure();
  TextMeasure(const TextMeasure&) = delete;
  TextMeasure& operator=(const TextMeasure&) = delete;

  /// Local. In pixels, for a font size in pixels.
  [[nodiscard]] double width(std::string_view text, double size) const;

  /// Local. The text, or if it is wider than `width`, as much of its begin and end as fits, with an ellipsis between.
  [[nodiscard]] std::string shortened(std::string_view text, double size, double width) const;

 private:
  CairoSurface* surface_;
  CairoContext* context_;
};

/// What is drawn lies in the order of the calls. Positions are in pixels from the upper left corner.
class Canvas {
 public:
  Canvas(CairoContext* context, int first_y, int end_y) : context_(context), first_y_(first_y), end_y_(end_y) {}

  /// Local. Rows of pixels that are drawn now: all of a page, or a band of it. What lies outside is not seen.
  [[nodiscard]] int first_y() const { return first_y_; }
  [[nodiscard]] int end_y() const { return end_y_; }

  void set_colour(Colour colour, double alpha = 1.0);
  void set_line_width(double width);
  void line(double x1, double y1, double x2, double y2);
  void rectangle(double x, double y, double width, double height);  ///< filled
  void outline(double x, double y, double width, double height);
  void circle(double x, double y, double radius);  ///< filled

  void move_to(double x, double y);
  void line_to(double x, double y);
  void close();
  void fill();    ///< the path, and begins another
  void stroke();  ///< likewise

  /// Local. A text whose middle is at height `y`; `angle` turns it about its point, clockwise in radians.
  void text(double x, double y, Anchor anchor, std::string_view text, double size, double angle = 0.0);

  /// Local. Pixels of the page.
  void image(const Image& image, double x, double y);

  /// Local. Draws by `draw` what lies in a rectangle.
  void within(double x, double y, double width, double height, const std::function<void()>& draw);

 private:
  CairoContext* context_;
  int first_y_;
  int end_y_;
};

/// Local. Writes a page: `draw` is called once, or for each band of a PNG, and draws the same each time. Errors: io;
/// those of `sink` and `draw`.
void write_picture(PictureForm form, const PageSize& size, const std::string& title,
                   const std::function<void(Canvas&)>& draw, const Sink& sink);

}  // namespace sill::draw
