// sill view: a picture of the traces of a survey.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "cli/view/picture_options.hpp"
#include "sill/base/byte_order.hpp"
#include "sill/base/html_text.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/flow/operation/velocity_field.hpp"
#include "sill/flow/run/bound_flow.hpp"
#include "sill/formats/file_ending.hpp"
#include "sill/survey/geometry/grid_traces.hpp"
#include "sill/view/charts.hpp"
#include "sill/view/section.hpp"
#include "sill/view/section_drawing.hpp"
#include "sill/view/shown_traces.hpp"

namespace sill::cli {
namespace {

constexpr std::string_view view_page_head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
)";
constexpr std::string_view view_page_style = R"(<style>
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
  const bool has_interval = section.about.interval_us > 0.0;
  const bool is_depth = section.about.domain == segy::Domain::depth;
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
          {"step", has_interval ? section.about.interval_us / unit_us : 1.0},
          {"clip", section.clip},
          {"words", section.words},
          {"names", std::move(names)},
          {"notes", drawing.frame().notes},
          {"title", drawing.frame().title},
          {"traces", std::move(traces)}};
}

// Writes a page that needs no other file and no server: the picture, its notes, and the samples and header words under
// the pointer. Precondition: the section has all rows. Errors: as `SectionDrawing::write`.
void write_section_page(view::SectionDrawing& drawing, const view::Section& section, const TextSink& sink) {
  sink(fmt::format("{}<title>{}</title>\n{}", view_page_head, escaped(drawing.frame().title), view_page_style));
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

struct ViewArguments : DrawingArguments {
  ViewArguments() { picture.colors = "grey"; }

  std::string slice;
  std::string line;
  std::string top;
  std::string time;
  std::string clip = "98%";
  std::string gain = "none";
  std::string kind = "density";
  std::string diff;
  std::string picks;
  std::string interpolation = "linear";
  std::string memory;
};

view::PictureStyle style_of(const ViewArguments& options) {
  view::PictureStyle style;
  style.page = options.picture.page();
  style.kind = options.kind == "wiggle" ? view::PictureKind::wiggle
               : options.kind == "both" ? view::PictureKind::both
                                        : view::PictureKind::density;
  style.interpolation = options.interpolation == "none"    ? view::Interpolation::none
                        : options.interpolation == "cubic" ? view::Interpolation::cubic
                                                           : view::Interpolation::linear;
  style.colours = options.picture.colour_map();
  return style;
}

// Collective. Reads the table of velocities that is drawn over the section, in the form that nmo reads.
flow::VelocityField velocities_of(Session& session, const SurveyReader& reader, const std::string& path) {
  run_and_agree(session.comm(), [&] {
    if (!is_survey_name(path)) return;
    throw usage_error("picks are a table, not a survey", "give a table of time,velocity or location,time,velocity",
                      {.file = path});
  });
  std::vector<flow::Step> steps{{.operation = "nmo", .arguments = {{"velocity", "@" + path, 0, 0}}}};
  steps = flow::with_files(session.resources(), std::move(steps), {session.map(), session.rules()});
  return run_and_agree(session.comm(), [&] {
    (void)flow::TraceTimes(flow::state_of(reader), "--picks");
    flow::VelocityField field(flow::Arguments(steps.front()), "velocity");
    field.bind(flow::state_of(reader));
    return field;
  });
}

void write_form(OutputForm form, view::SectionReader& reader, const view::PictureStyle& style,
                const std::optional<view::ShownVelocities>& velocities, const TextSink& sink) {
  view::SectionDrawing drawing(reader, style, velocities);
  if (form == OutputForm::html) return write_section_page(drawing, reader.section(), sink);
  drawing.write(static_cast<draw::PictureForm>(form), sink);
}

// Returns the maximum number of values in memory. Errors: usage, if a page of this size, which contains all values, may
// exceed it.
std::int64_t max_values_of(const Resources& resources, OutputForm form, const view::PictureStyle& style) {
  const std::int64_t allowed = resources.memory_bytes > 0 ? resources.memory_bytes : resources.memory_limit() / 4 * 3;
  constexpr std::int64_t other_bytes = std::int64_t{96} << 20;  // for the program, headers, traces, pixels
  const std::int64_t values = std::max(allowed - other_bytes, allowed / 8) / static_cast<std::int64_t>(sizeof(float));
  const double needed = static_cast<double>(style.page.width) * style.page.height;
  if (form != OutputForm::html || needed <= static_cast<double>(values)) return values;
  const double scale = std::sqrt(static_cast<double>(values) / needed);
  throw usage_error(
      fmt::format(
          "a page stores the values of all its {}x{} pixels, for which the {} of memory that it may use are not enough",
          style.page.width, style.page.height, format_bytes(allowed)),
      fmt::format("give --size {:.0f}x{:.0f} or less, more --memory, or make a .png, .svg or .pdf",
                  std::floor(scale * style.page.width), std::floor(scale * style.page.height)));
}

// Collective. Draws a time or depth slice. Returns the exit code.
int draw_slice(Session& session, const ViewArguments& options, const SurveyReader& reader) {
  const draw::FrameLayout layout = draw::chart_layout(options.picture.page(), true);
  const double at_us = run_and_agree(session.comm(), [&] {
    if (options.interpolation == "cubic")
      throw usage_error("slices are not interpolated with cubic polynomials", "give --interpolation linear or none");
    return view::parse_slice(options.slice, reader);
  });
  const SurveyGeometry geometry = require_grid(session.resources(), reader);
  const GridTraces grid = grid_traces(session.resources(), reader, *geometry.grid, layout.height, layout.width);
  return draw_chart(
      session, options.picture, reader,
      [&] {
        return view::slice_chart(reader, grid, at_us, view::parse_clip(options.clip), options.picture.colour_map(),
                                 options.interpolation != "none", session.resources().progress);
      },
      fmt::format("{} inlines, {} crosslines", grid.rows, grid.columns));
}

int run_view(Session& session, const ViewArguments& options) {
  Communicator& comm = session.comm();
  const std::string file = session.input(options.file);
  view::SectionRequest request;
  view::PictureStyle style;
  OutputForm form{};
  std::optional<draw::FrameLayout> layout;
  run_and_agree(comm, [&] {
    form = options.picture.form();
    style = style_of(options);
    session.bound_memory(options.memory);
    request.max_values = max_values_of(session.resources(), form, style);
    request.progress = session.resources().progress;
    request.top = options.top;
    request.clip = view::parse_clip(options.clip);
    layout.emplace(view::layout_of(style, view::top_rows_of(options.top, !options.diff.empty())));
    request.max_rows = layout->height;
    view::parse_gain(options.gain, request);
    if (!options.time.empty()) request.window = segy::parse_time_window(options.time);
    if (!options.diff.empty() && request.gain != view::ViewGain::none)
      throw usage_error("--diff is not meaningful after a gain that depends on the amplitudes of each file",
                        "omit --gain, or apply the gain to both files with 'sill flow' first");
  });
  std::vector<std::string> inputs{file};
  for (const std::string* const more : {&options.diff, &options.picks})
    if (!more->empty()) inputs.push_back(*more);
  session.reserve_files(inputs, {options.picture.output});
  InputRules rules = session.rules();
  rules.index_words = options.traces.has_condition();
  const InputSurvey reader(session, {file}, rules);
  reader.require_sample_format();
  if (!options.slice.empty()) return draw_slice(session, options, reader);
  const std::optional<Diagnostic> doubt = reader.sample_format_finding(0);
  std::optional<InputSurvey> other;
  if (!options.diff.empty()) {
    other.emplace(session, std::vector{options.diff});
    other->require_sample_format();
  }
  std::optional<flow::VelocityField> field;
  std::optional<view::ShownVelocities> velocities;
  if (!options.picks.empty()) {
    field.emplace(velocities_of(session, reader, options.picks));
    request.location = field->location_word();
    velocities = {&*field, flow::length_unit_m(reader.files().front().measurement_system)};
  }
  const std::int64_t max_traces = view::max_traces_of(style, *layout, other ? 3 : 1);
  if (options.line.empty()) {
    request.traces = view::choose_shown_traces(session.resources(), reader, options.traces, max_traces);
  } else {
    const auto points = run_and_agree(comm, [&] { return parse_line(options.line); });
    std::string words;
    request.traces.numbers = traces_along(session.resources(), reader, points, words);
    request.traces.selected = std::ssize(request.traces.numbers);
    view::thin_out(request.traces, max_traces);
    request.traces.condition = "along " + options.line;
    if (request.top.empty()) request.top = words;
  }
  if (options.file == "-") request.name = "standard input";
  if (doubt) request.format_doubt = doubt->problem;
  std::optional<view::SectionReader> shown;
  std::optional<PictureFile> picture;
  // Only one rank reads: at most one trace per pixel column is read.
  run_on_rank(comm, 0, [&] {
    shown.emplace(reader, other ? &*other : nullptr, request);
    picture.emplace(session.resources(), options.picture.output);
    write_form(form, *shown, style, velocities, [&](std::string_view bytes) { picture->write(bytes); });
  });
  reader.require_unchanged(comm);
  if (other) other->require_unchanged(comm);
  std::string text;
  Done done;
  run_on_rank(comm, 0, [&] {
    picture->finish();
    warn_of_font(session);
    const view::Section& section = shown->section();
    done.more = {{"clip", section.clip},
                 {"stride", section.request.traces.stride},
                 {"samples_per_row", section.samples_per_row}};
    text = fmt::format("{} of {} traces, {} samples each, into {}\n", format_count(std::ssize(section.traces)),
                       format_count(section.request.traces.selected), section.shown_lengths.text(),
                       options.picture.output);
    text += fmt::format("  clip          {:g}\n", section.clip);
    std::vector<std::string> notes = section.notes;
    if (section.request.traces.stride > 1 && options.line.empty())
      notes.push_back(fmt::format("1 of {} traces is shown: --gather, --inline, --where or --traces show fewer traces",
                                  section.request.traces.stride));
    if (std::string note = view::oddities_text(section.dead_traces, section.nonfinite_samples, style.colours);
        !note.empty())
      notes.push_back(std::move(note));
    for (const std::string& note : notes) text += fmt::format("  note          {}\n", note);
    text += fmt::format("  time          {}", format_duration(session.seconds()));
  });
  session.print(text);
  done.traces_in = std::ssize(request.traces.numbers);
  return session.finish(done);
}

}  // namespace

void add_view(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] = add_command(
      program, commands, "view",
      "Draw traces as a section, or a slice of a cube\nWrites a PNG, SVG or PDF file, or an HTML page (docs/view.md).",
      "  sill view shots.sgy -o section.png\n"
      "  sill view cmp.sgy -o gather.png --gather cdp=1200 --kind wiggle --gain agc=500ms\n"
      "  sill view cube.sgy -o line.html --inline 1200 --time 1s:3s --clip 99%\n",
      run_view);
  add_drawing_options(parser, *options);
  parser.add_option("--time", options->time,
                    "Show the samples in this time window, both ends included, with units: 1s:3s, 500ms:, :2.5s");
  parser
      .add_option("--clip", options->clip,
                  "Largest amplitude that the colors distinguish: a value, or a percentage P% (the amplitude that P "
                  "percent of the displayed non-zero samples do not exceed)")
      ->capture_default_str();
  parser
      .add_option("--gain", options->gain,
                  "Gain: none, trace (divides each trace by its rms) or agc=TIME (a window of this length, such "
                  "as agc=500ms)")
      ->capture_default_str();
  add_choice(parser, "--kind", options->kind, {"density", "wiggle", "both"}, "Display of the samples");
  add_choice(parser, "--interpolation", options->interpolation, {"none", "linear", "cubic"},
             "Interpolation of the density between traces and samples");
  parser.add_option("--top", options->top,
                    "Words of the top axis, separated by commas. Default: the word that varies from trace to trace "
                    "and, above it, the word of the gathers");
  parser.add_option(
      "--diff", options->diff,
      "Also show this file and the difference of both files, with the clip of the first file in all three panels");
  parser.add_option("--picks", options->picks,
                    "Draw the velocities of this table, in the form that nmo reads, over panels of semblance");
  parser.add_option(
      "--memory", options->memory,
      "Memory for the picture, such as 512M. Default: three quarters of the memory that the process may use");
  CLI::Option* const slice = parser.add_option(
      "--slice", options->slice, "Show all traces of a post-stack grid at this time or depth: 1.2s, 1200ms, 1500m");
  CLI::Option* const line = parser.add_option("--line", options->line,
                                              "Show the traces of a post-stack grid along the line X1,Y1:X2,Y2, or "
                                              "through more points, in the coordinates of the grid");
  for (const char* const name : {"--traces", "--gather", "--inline", "--crossline", "--where"}) {
    slice->excludes(name);
    line->excludes(name);
  }
  for (const char* const name : {"--time", "--gain", "--kind", "--top", "--diff", "--picks", "--memory", "--line"})
    slice->excludes(name);
  add_map_option({parser, command});
  add_input_options({parser, command});
}

}  // namespace sill::cli
