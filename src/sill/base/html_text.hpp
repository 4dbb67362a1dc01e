// Text and frames of pages for the browser.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace sill {

/// Local. Text for HTML and SVG: as people see it, whatever its bytes; for element content and attributes.
[[nodiscard]] std::string escaped(std::string_view text);

/// Local. The beginning of a page that needs nothing else and runs no script, up to its body.
[[nodiscard]] std::string page_begin(std::string_view title);

/// Local. A text of an SVG element; `anchor` is start, middle or end.
[[nodiscard]] std::string svg_text(double x, double y, std::string_view anchor, std::string_view text);

/// Local. A row of a table: a name and what it is.
[[nodiscard]] std::string row_of(std::string_view name, std::string_view value);

/// Takes pieces of a text or file in turn.
using TextSink = std::function<void(std::string_view)>;

/// Bytes as text, piece by piece. Source: RFC 4648, section 4.
class Base64 {
 public:
  explicit Base64(const TextSink& sink) : sink_(sink) {}
  /// Local. Adds bytes.
  void add(std::string_view bytes);
  /// Local. Ends the text.
  void finish();

 private:
  void write(std::string_view bytes);

  const TextSink& sink_;
  std::string rest_;  // bytes that make no group of three yet
};

/// Local. Writes an element that shows a picture, whose names meet no others of the page: `write_svg` writes the SVG.
void write_picture_element(const std::function<void(const TextSink&)>& write_svg, const TextSink& sink);

}  // namespace sill
