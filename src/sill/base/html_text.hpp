// Text and frames of HTML pages.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace sill {

/// Local. Returns `text` escaped for element content and attributes of HTML and SVG. Control characters and invalid
/// UTF-8 are made visible.
[[nodiscard]] std::string escaped(std::string_view text);

/// Local. Returns the beginning of a self-contained page without scripts, up to its body.
[[nodiscard]] std::string page_begin(std::string_view title);

/// Local. Returns an SVG text element; `anchor` is start, middle or end.
[[nodiscard]] std::string svg_text(double x, double y, std::string_view anchor, std::string_view text);

/// Local. Returns a row of a table: a name and its value.
[[nodiscard]] std::string row_of(std::string_view name, std::string_view value);

/// Receives consecutive pieces of a text or file.
using TextSink = std::function<void(std::string_view)>;

/// Encodes bytes as Base64 text, piece by piece. Source: RFC 4648, section 4.
class Base64 {
 public:
  explicit Base64(const TextSink& sink) : sink_(sink) {}
  /// Local. Encodes `bytes` as the next bytes of the data.
  void add(std::string_view bytes);
  /// Local. Writes the last group of characters, padded with `=`.
  void finish();

 private:
  void write(std::string_view bytes);

  const TextSink& sink_;
  std::string rest_;  // bytes that do not form a group of three yet
};

/// Local. Writes an element that shows the SVG that `write_svg` writes. Names in the SVG do not collide with other
/// names of the page.
void write_picture_element(const std::function<void(const TextSink&)>& write_svg, const TextSink& sink);

}  // namespace sill
