#include "sill/base/html_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sill/base/user_text.hpp"

namespace sill {
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
svg, img { max-width: 100%; height: auto; display: block; }
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
  // Makes control characters and invalid UTF-8 visible; the texts are already bounded.
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

void write_picture_element(const std::function<void(const TextSink&)>& write_svg, const TextSink& sink) {
  sink("<img class=\"picture\" alt=\"\" src=\"data:image/svg+xml;base64,");
  Base64 base64(sink);
  write_svg([&](std::string_view bytes) { base64.add(bytes); });
  base64.finish();
  sink("\"/>\n");
}

}  // namespace sill
