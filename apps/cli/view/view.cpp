// sill view: a picture of the traces of a survey.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "cli/view/picture_options.hpp"
#include "cli/view/section_page.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/flow/operation/velocity_field.hpp"
#include "sill/flow/run/bound_flow.hpp"
#include "sill/formats/file_ending.hpp"
#include "sill/survey/geometry/grid_traces.hpp"
#include "sill/view/section_drawing.hpp"
#include "sill/view/section_reading.hpp"
#include "sill/view/shown_traces.hpp"
#include "sill/view/time_slice.hpp"

namespace sill::cli {
namespace {

struct ViewArguments {
  std::string file;
  PictureOptions picture{.colors = "grey"};
  view::TracesRequest traces;
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
  throw usage_error(fmt::format("a page stores the values of all its {}x{} pixels, for which the {} of memory "
                                "that it may use are not enough",
                                style.page.width, style.page.height, format_bytes(allowed)),
                    fmt::format("give --size {:.0f}x{:.0f} or less, more --memory, or make a .png, .svg or .pdf",
                                std::floor(scale * style.page.width), std::floor(scale * style.page.height)));
}

// Collective. Draws a time or depth slice. Returns the exit code.
int draw_slice(Session& session, const ViewArguments& options, const SurveyReader& reader) {
  const draw::FrameLayout layout = draw::chart_layout(options.picture.page(), true);
  const double at_us = run_and_agree(session.comm(), [&] { return view::parse_slice(options.slice, reader); });
  const SurveyGeometry geometry = require_grid(session.resources(), reader);
  const GridTraces grid = grid_traces(session.resources(), reader, *geometry.grid, layout.height, layout.width);
  draw_chart(
      session, options.picture, reader,
      [&] {
        return view::slice_chart(reader, grid, at_us, view::parse_clip(options.clip), options.picture.colour_map(),
                                 options.interpolation != "none", session.resources().progress);
      },
      fmt::format("{} inlines, {} crosslines", grid.rows, grid.columns));
  return 0;
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
  const SurveyReader reader(session.resources(), {file}, session.map(), rules);
  session.report_diagnostics(reader.files());
  reader.require_sample_format();
  if (!options.slice.empty()) return draw_slice(session, options, reader);
  const std::optional<Diagnostic> doubt = reader.sample_format_finding(0);
  std::optional<SurveyReader> other;
  if (!options.diff.empty()) {
    other.emplace(session.resources(), std::vector{options.diff}, session.map(), session.rules());
    session.report_diagnostics(other->files());
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
    request.traces.numbers = traces_along(session.resources(), reader, points, max_traces, words);
    request.traces.selected = std::ssize(request.traces.numbers);
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
    done.more = {{"clip", section.clip}, {"stride", section.stride}, {"samples_per_row", section.samples_per_row}};
    text = fmt::format("{} of {} traces, {} samples each, into {}\n", format_count(std::ssize(section.traces)),
                       format_count(section.selected), format_count(section.window_samples), options.picture.output);
    text += fmt::format("  clip          {:g}\n", section.clip);
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
  parser.add_option("FILE", options->file, "A SEG-Y or Seismic Unix file")->required();
  add_picture_options(parser, options->picture);
  add_trace_options(parser, options->traces);
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
