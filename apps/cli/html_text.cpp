#include "cli/html_text.hpp"

#include <fmt/format.h>

#include "sill/base/user_text.hpp"

namespace sill::cli {
namespace {

constexpr std::string_view page_head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
)";

constexpr std::string_view page_style = R"(<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #222; }
h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 2.5em; overflow-wrap: anywhere; } h3 { font-size: 1em; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3em .7em; border-bottom: 1px solid #ddd; }
td { overflow-wrap: anywhere; }
td.number, th.number { text-align: right; white-space: nowrap; }
pre { background: #f6f6f4; padding: 1em; overflow-x: auto; line-height: 1.25; }
svg { max-width: 100%; height: auto; display: block; }
svg text { font: 12px system-ui, sans-serif; fill: #444; }
.side { display: flex; flex-wrap: wrap; gap: 2em; }
.grade { font-weight: 600; padding: .1em .5em; border-radius: .3em; white-space: nowrap; }
.critical { background: #b3261e; color: #fff; } .major { background: #e8710a; color: #fff; }
.minor { background: #fbe08a; } .info { background: #e4e9ee; }
</style>
</head>
<body>
)";

}  // namespace

std::string escaped(std::string_view text) {
  // Control characters and what is no UTF-8 become visible; texts here are bounded already.
  constexpr std::size_t no_bound = 1 << 20;
  std::string safe;
  for (const char c : echoed(text, no_bound)) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default: safe += c;
    }
  }
  return safe;
}

std::string page_begin(std::string_view title) {
  return fmt::format("{}<title>{}</title>\n{}", page_head, escaped(title), page_style);
}

std::string svg_text(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, escaped(text));
}

std::string row_of(std::string_view name, std::string_view value) {
  return fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", name, escaped(value));
}

}  // namespace sill::cli
