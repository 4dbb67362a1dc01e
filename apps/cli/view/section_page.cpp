#include "cli/view/section_page.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/base/html_text.hpp"

namespace sill::cli {
namespace {

constexpr std::string_view view_page_head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<title>sill view</title>
<style>
body { margin: 1em; color: #222; }
#under { font: 14px/1.4 monospace; white-space: pre-wrap; min-height: 4.2em; margin: 0 0 .5em 1em; }
img { max-width: 100%; height: auto; cursor: crosshair; }
.notes { color: #555; font-size: 13px; }
</style>
</head>
<body>
<div id="under">Move the pointer over the section: this line then shows the sample and the header words of its trace.</div>
)";

// Converts the pointer's position to pixels of the drawing, regardless of the size of the page; then to trace and row.
constexpr std::string_view page_script = R"(<script>
"use strict";
const about = JSON.parse(document.getElementById("about").textContent);
const cells = about.cells.map((text) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
});
const picture = document.querySelector(".picture");
const under = document.getElementById("under");
function sampleAt(event) {
  const box = picture.getBoundingClientRect();
  const x = ((event.clientX - box.left) * about.page_width) / box.width - about.x;
  const y = ((event.clientY - box.top) * about.page_height) / box.height - about.y;
  let panel = about.panel_x.length - 1;
  while (panel > 0 && x < about.panel_x[panel]) --panel;
  const trace = about.traces.findIndex((t) => {
    const left = about.panel_x[panel] + t.x;
    return x >= left && x < left + about.trace_px;
  });
  return { panel, trace, row: Math.floor(y / about.row_px) };
}
function textOf({ panel, trace, row }) {
  if (trace < 0 || row < 0 || row >= about.rows) return "";
  const t = about.traces[trace];
  const first = row * about.samples_per_row;
  const last = Math.min(first + about.samples_per_row, about.samples) - 1;
  const at = (sample) => (about.first + sample * about.step).toFixed(about.decimals);
  const time = about.axis + " " + at(first) + (last > first ? " to " + at(last) : "") + about.unit;
  const has = row >= t.first_row && row < t.first_row + t.row_count;
  const value = has ? cells[panel][trace * about.rows + row] : NaN;
  const shown = has ? (Number.isFinite(value) ? value.toPrecision(7) : String(value)) : "no sample";
  const words = about.words.map((word, i) => word + " " + t.values[i]).join("   ");
  const name = about.names[panel] ? about.names[panel] + "\n" : "";
  return name + "value " + shown + "   " + time + (t.dead[panel] ? "   dead trace" : "") + "\n" + words;
}
picture.addEventListener("mousemove", (event) => { under.textContent = textOf(sampleAt(event)); });
</script>
)";

// Returns JSON that is safe in a script element: only "<" could end the element.
std::string json_in_page(const nlohmann::ordered_json& json) {
  std::string safe;
  for (const char c : json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

void write_cells(const std::vector<float>& cells, const TextSink& sink) {
  Base64 text(sink);
  std::array<std::byte, sizeof(float)> bytes{};
  std::string block;
  for (const float cell : cells) {
    store(bytes.data(), cell, ByteOrder::little);
    block.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (block.size() >= (std::size_t{1} << 16)) text.add(std::exchange(block, {}));
  }
  text.add(block);
  text.finish();
}

// Returns everything except the cells.
nlohmann::ordered_json json_of_section(const view::SectionDrawing& drawing, const view::Section& section) {
  const draw::FrameLayout& layout = drawing.frame().layout;
  const view::Placement& placement = drawing.placement();
  const bool has_interval = section.interval_us > 0.0;
  const bool is_depth = section.domain == segy::Domain::depth;
  const double unit_us = !has_interval ? 1.0 : is_depth ? 1000.0 : 1e6;
  nlohmann::ordered_json traces = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < section.traces.size(); ++i) {
    const view::SectionTrace& trace = section.traces[i];
    nlohmann::ordered_json dead = nlohmann::ordered_json::array();
    for (const view::SectionPanel& panel : section.panels) dead.push_back(panel.is_dead[i] != 0);
    traces.push_back({{"x", placement.trace_x[i]},
                      {"first_row", trace.first_row},
                      {"row_count", trace.row_count},
                      {"dead", std::move(dead)},
                      {"values", trace.values}});
  }
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const view::SectionPanel& panel : section.panels) names.push_back(panel.name);
  return {{"file", section.file},
          {"page_width", layout.page.width},
          {"page_height", layout.page.height},
          {"x", layout.x},
          {"y", layout.y},
          {"width", layout.width},
          {"height", layout.height},
          {"trace_px", placement.trace_px},
          {"row_px", placement.row_px},
          {"panel_x", placement.panel_x},
          {"rows", section.rows},
          {"samples", section.window_samples},
          {"samples_per_row", section.samples_per_row},
          {"axis", !has_interval ? "sample"
                   : is_depth    ? "depth"
                                 : "time"},
          {"unit", !has_interval || is_depth ? "" : " s"},
          {"decimals", !has_interval ? 0 : 6},
          {"first", has_interval ? section.first_us / unit_us : section.first_us + 1.0},
          {"step", has_interval ? section.interval_us / unit_us : 1.0},
          {"clip", section.clip},
          {"words", section.words},
          {"names", std::move(names)},
          {"notes", drawing.frame().notes},
          {"title", drawing.frame().title},
          {"traces", std::move(traces)}};
}

}  // namespace

void write_section_page(view::SectionDrawing& drawing, const view::Section& section, const TextSink& sink) {
  sink(view_page_head);
  write_picture_element([&](const TextSink& svg) { drawing.write(draw::PictureForm::svg, svg); }, sink);
  std::string notes = "<p class=\"notes\">";
  for (const std::string& note : drawing.frame().notes) notes += escaped(note) + "<br/>\n";
  sink(notes + "</p>\n");
  std::string about = json_in_page(json_of_section(drawing, section));
  about.pop_back();  // the closing brace, before which the cells are inserted
  sink("<script type=\"application/json\" id=\"about\">" + about + ",\"cells\":[");
  for (const view::SectionPanel& panel : section.panels) {
    sink(&panel == section.panels.data() ? "\"" : ",\"");
    write_cells(panel.cells, sink);
    sink("\"");
  }
  sink(fmt::format("]}}</script>\n{}</body>\n</html>\n", page_script));
}

}  // namespace sill::cli
