// A page to draw on, independent of the file format.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sill/base/html_text.hpp"
#include "sill/draw/cairo_library.hpp"
#include "sill/draw/colours.hpp"

namespace sill::draw {

enum class PictureForm : std::uint8_t { png, svg, pdf };

/// Size of a page in pixels. SVG uses pixels as user units; PDF converts them with `dpi`.
struct PageSize {
  int width = 1200;
  int height = 800;
  double dpi = 96.0;
};

/// The point of a text that is placed at the given position: its beginning, middle or end.
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

/// Measures the widths of texts. Errors: io, if Cairo or a font is missing.
class TextMeasure {
 public:
  TextMeasure();
  ~TextMeasure();
  TextMeasure(const TextMeasure&) = delete;
  TextMeasure& operator=(const TextMeasure&) = delete;

  /// Local. Returns the width in pixels for a font size in pixels.
  [[nodiscard]] double width(std::string_view text, double size) const;

  /// Local. Returns the text. If the text is wider than `width`, returns as much of its beginning and end as fits, with
  /// an ellipsis between.
  [[nodiscard]] std::string shortened(std::string_view text, double size, double width) const;

 private:
  CairoSurface* surface_;
  CairoContext* context_;
};

/// Draws on a page. Later calls draw over earlier ones. Positions are in pixels from the upper left corner.
class Canvas {
 public:
  Canvas(CairoContext* context, int first_y, int end_y) : context_(context), first_y_(first_y), end_y_(end_y) {}

  /// Local. Returns the first row of pixels that is being drawn: row 0 of the page or, if the page is drawn in bands,
  /// the first row of the current band. Drawing outside the rows from `first_y` to `end_y` - 1 has no effect.
  [[nodiscard]] int first_y() const { return first_y_; }
  /// Local. Returns the row after the last row of pixels that is being drawn.
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
  void fill();    ///< fills the path, and begins a new one
  void stroke();  ///< draws the path, and begins a new one

  /// Local. Draws a text whose vertical centre is at height `y`. `angle` rotates it about its point, clockwise in
  /// radians.
  void text(double x, double y, Anchor anchor, std::string_view text, double size, double angle = 0.0);

  /// Local. Draws an image whose pixels are pixels of the page.
  void image(const Image& image, double x, double y);

  /// Local. Calls `draw`, and clips its drawing to a rectangle.
  void within(double x, double y, double width, double height, const std::function<void()>& draw);

 private:
  CairoContext* context_;
  int first_y_;
  int end_y_;
};

/// Local. Returns a warning that texts are drawn without a font, or an empty text. Errors: io, if Cairo is missing.
[[nodiscard]] std::string font_warning();

/// Local. Writes a page. `draw` is called once, or for each band of a PNG, and must draw the same each time. Errors:
/// io; errors of `sink` and `draw`.
void write_picture(PictureForm form, const PageSize& size, const std::string& title,
                   const std::function<void(Canvas&)>& draw, const TextSink& sink);

}  // namespace sill::draw
