// Text and frames of pages for the browser.
#pragma once

#include <string>
#include <string_view>

namespace sill::cli {

/// Local. Text for HTML and SVG: as people see it, whatever its bytes; for element content and attributes.
[[nodiscard]] std::string escaped(std::string_view text);

/// Local. The beginning of a page that needs nothing else and runs no script, up to its body.
[[nodiscard]] std::string page_begin(std::string_view title);

/// Local. A text of an SVG element; `anchor` is start, middle or end.
[[nodiscard]] std::string svg_text(double x, double y, std::string_view anchor, std::string_view text);

/// Local. A row of a table: a name and what it is.
[[nodiscard]] std::string row_of(std::string_view name, std::string_view value);

}  // namespace sill::cli
