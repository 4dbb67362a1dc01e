// sill view: traces of a survey as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "cli/view/section_page.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/flow/operation/velocity_field.hpp"
#include "sill/flow/run/bound_flow.hpp"
#include "sill/formats/file_ending.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/view/section_drawing.hpp"
#include "sill/view/section_reading.hpp"
#include "sill/view/shown_traces.hpp"

namespace sill::cli {
namespace {

struct ViewArguments {
  std::string file;
  std::string output;
  view::TracesRequest traces;
  std::string top;
  std::string time;
  std::string clip = "98%";
  std::string gain = "none";
  std::string kind = "density";
  std::string colors = "grey";
  std::string diff;
  std::string picks;
  std::string interpolation = "linear";
  std::string size = "1200x800";
  double dpi = 96.0;
  std::string memory;
};

// An HTML page holds a picture.
enum class OutputForm : std::uint8_t { png, svg, pdf, html };

OutputForm form_of(const std::string& path) {
  constexpr std::array<std::string_view, 4> endings{".png", ".svg", ".pdf", ".html"};
  for (std::size_t i = 0; i < endings.size(); ++i)
    if (path.size() > endings[i].size() && path.ends_with(endings[i])) return static_cast<OutputForm>(i);
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("the name of the picture, `{}`, does not state its form", echoed(path)),
               .action = "end it with .png, .svg, .pdf or .html"});
}

// "1200x800"
void parse_size(const std::string& text, draw::PageSize& page) {
  constexpr int min_px = 100;
  constexpr int max_px = 16'384;
  const char* const end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, page.width);
  const bool is_divided = width.ec == std::errc{} && width.ptr != end && *width.ptr == 'x';
  const auto height = std::from_chars(is_divided ? width.ptr + 1 : end, end, page.height);
  const auto is_in_range = [](int px) { return px >= min_px && px <= max_px; };
  if (is_divided && height.ec == std::errc{} && height.ptr == end && is_in_range(page.width) &&
      is_in_range(page.height))
    return;
  throw Error(
      {.code = ErrorCode::usage,
       .problem = fmt::format("`{}` is no size of a picture", echoed(text)),
       .action = fmt::format("write WIDTHxHEIGHT in pixels, each from {} to {}, such as 1200x800", min_px, max_px)});
}

void parse_gain(const std::string& text, view::SectionRequest& request) {
  constexpr std::string_view agc = "agc=";
  if (text == "none") return;
  if (text == "trace") {
    request.gain = view::ViewGain::trace;
  } else if (text.starts_with(agc) && text.find_first_of(" ;\"'") == text.npos && text.size() > agc.size()) {
    request.gain = view::ViewGain::agc;
    request.agc_window = text.substr(agc.size());
  } else {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("there is no gain `{}`", echoed(text)),
                 .action = "give none, trace, or agc=TIME such as agc=500ms"});
  }
}

view::PictureStyle style_of(const ViewArguments& options) {
  view::PictureStyle style;
  parse_size(options.size, style.page);
  style.page.dpi = options.dpi;
  style.kind = options.kind == "wiggle" ? view::PictureKind::wiggle
               : options.kind == "both" ? view::PictureKind::both
                                        : view::PictureKind::density;
  style.interpolation = options.interpolation == "none"    ? view::Interpolation::none
                        : options.interpolation == "cubic" ? view::Interpolation::cubic
                                                           : view::Interpolation::linear;
  style.colours = draw::ColourMap::parse(options.colors);
  return style;
}

// Collective. The table of velocities that is drawn over the section, as nmo reads it.
flow::VelocityField velocities_of(Session& session, const SurveyReader& reader, const std::string& path) {
  run_and_agree(session.comm(), [&] {
    if (!is_survey_name(path)) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = "picks are a table, not a survey",
                 .where = {.file = path},
                 .action = "give a table of time,velocity or location,time,velocity"});
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
                const std::optional<view::ShownVelocities>& velocities, const draw::Sink& sink) {
  view::SectionDrawing drawing(reader, style, velocities);
  if (form == OutputForm::html) return write_section_page(drawing, reader.section(), sink);
  drawing.write(static_cast<draw::PictureForm>(form), sink);
}

// Values that may be held at once.
// Errors: usage, if a page of this size, which holds all values, may take more.
std::int64_t max_values_of(const Resources& resources, OutputForm form, const view::PictureStyle& style) {
  const std::int64_t allowed = resources.memory_bytes > 0 ? resources.memory_bytes : resources.memory_limit() / 4 * 3;
  constexpr std::int64_t other_bytes = std::int64_t{96} << 20;  // the program, headers, traces, pixels
  const std::int64_t values = std::max(allowed - other_bytes, allowed / 8) / static_cast<std::int64_t>(sizeof(float));
  const double needed = static_cast<double>(style.page.width) * style.page.height;
  if (form != OutputForm::html || needed <= static_cast<double>(values)) return values;
  const double scale = std::sqrt(static_cast<double>(values) / needed);
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("a page holds the values of all its {}x{} pixels, for which the {} that it may "
                                      "use are too little",
                                      style.page.width, style.page.height, format_bytes(allowed)),
               .action = fmt::format("give --size {:.0f}x{:.0f} or less, more --memory, or make a .png, .svg or .pdf",
                                     std::floor(scale * style.page.width), std::floor(scale * style.page.height))});
}

int run_view(Session& session, const ViewArguments& options) {
  Communicator& comm = session.comm();
  const std::string file = session.input(options.file);
  view::SectionRequest request;
  view::PictureStyle style;
  OutputForm form{};
  std::optional<draw::FrameLayout> layout;
  run_and_agree(comm, [&] {
    form = form_of(options.output);
    style = style_of(options);
    session.bound_memory(options.memory);
    request.max_values = max_values_of(session.resources(), form, style);
    request.top = options.top;
    request.clip = view::parse_clip(options.clip);
    layout.emplace(view::layout_of(style, view::top_rows_of(options.top, !options.diff.empty())));
    request.max_rows = layout->height;
    parse_gain(options.gain, request);
    if (!options.time.empty()) request.window = segy::parse_time_window(options.time);
    if (!options.diff.empty() && request.gain != view::ViewGain::none)
      throw Error({.code = ErrorCode::usage,
                   .problem = "--diff has no meaning after a gain that follows the amplitudes of each file",
                   .action = "leave --gain out, or apply it to both files with 'sill flow' first"});
  });
  std::vector<std::string> inputs{file};
  for (const std::string* const more : {&options.diff, &options.picks})
    if (!more->empty()) inputs.push_back(*more);
  session.reserve_files(inputs, {options.output});
  InputRules rules = session.rules();
  rules.index_words = options.traces.has_condition();
  const SurveyReader reader(session.resources(), {file}, session.map(), rules);
  session.report_diagnostics(reader.files());
  reader.require_sample_format();
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
  request.traces = view::choose_shown_traces(session.resources(), reader, options.traces,
                                             view::max_traces_of(style, *layout, other ? 3 : 1));
  if (options.file == "-") request.name = "standard input";
  if (doubt) request.format_doubt = doubt->problem;
  std::optional<view::SectionReader> shown;
  std::optional<WholeTextFile> picture;
  // One rank reads: it is no more than what the picture has pixels for, times the samples of a trace.
  run_on_rank(comm, 0, [&] {
    shown.emplace(reader, other ? &*other : nullptr, request);
    picture.emplace(session.resources(), options.output);
    std::string block;
    write_form(form, *shown, style, velocities, [&](std::string_view bytes) {
      constexpr std::size_t block_bytes = std::size_t{1} << 20;
      block += bytes;
      if (block.size() >= block_bytes) picture->write(std::exchange(block, {}));
    });
    picture->write(block);
  });
  reader.require_unchanged(comm);
  if (other) other->require_unchanged(comm);
  std::string text;
  Done done;
  run_on_rank(comm, 0, [&] {
    picture->finish();
    const view::Section& section = shown->section();
    done.more = {{"clip", section.clip}, {"stride", section.stride}, {"samples_per_row", section.samples_per_row}};
    text = fmt::format("{} of {} traces, {} samples each, into {}\n", format_count(std::ssize(section.traces)),
                       format_count(section.selected), format_count(section.window_samples), options.output);
    text += fmt::format("  clip          {:g}\n", section.clip);
    text += fmt::format("  time          {}", format_duration(session.seconds()));
  });
  session.print(text);
  done.traces_in = std::ssize(request.traces.numbers);
  session.finish(done);
  return 0;
}

}  // namespace

void add_view(CLI::App& program, Commands& commands) {
  const auto [parser, command] = add_command(
      program, commands, "view", "Draw traces of a survey as a picture: PNG, SVG, PDF or a page for the browser",
      "  sill view shots.sgy -o section.png\n"
      "  sill view cmp.sgy -o gather.png --gather cdp=1200 --kind wiggle --gain agc=500ms\n"
      "  sill view cube.sgy -o line.html --inline 1200 --time 1s:3s --clip 99%\n"
      "  sill view panels.sgy -o panels.png --gather cdp=1200:1210 --picks picks.csv\n"
      "  sill view before.sgy -o change.png --diff after.sgy --traces 1:300 --colors redblue\n");
  auto options = std::make_shared<ViewArguments>();
  parser.add_option("FILE", options->file, "A SEG-Y or Seismic Unix file")->required();
  parser
      .add_option("-o,--output", options->output,
                  "The picture, .png, .svg, .pdf or .html; it appears when it is complete")
      ->required();
  parser.add_option("--traces", options->traces.range, "Show traces FIRST:LAST, counted from 1, both included");
  parser.add_option("--gather", options->traces.gather,
                    "Show the traces of a gather, WORD=VALUE, or of several, WORD=FIRST:LAST");
  parser.add_option("--inline", options->traces.inline_number, "Show the traces of this inline (iline)");
  parser.add_option("--crossline", options->traces.crossline_number, "Show the traces of this crossline (xline)");
  parser.add_option("--where", options->traces.where,
                    "Show the traces for which this condition holds (docs/expressions.md)");
  parser.add_option("--time", options->time,
                    "Show the samples of these times, both ends included, with units: 1s:3s, 500ms:, :2.5s");
  parser
      .add_option("--clip", options->clip,
                  "The amplitude that is black: a share of the non-zero amplitudes shown that do not exceed it, or a "
                  "value")
      ->capture_default_str();
  parser
      .add_option("--gain", options->gain,
                  "none; trace, which divides each trace by its rms; or agc=TIME, a window such as agc=500ms")
      ->capture_default_str();
  parser.add_option("--kind", options->kind, "How samples are shown")
      ->check(CLI::IsMember({"density", "wiggle", "both"}))
      ->capture_default_str();
  parser
      .add_option("--colors", options->colors,
                  fmt::format("Color map: {}; with `,reversed` behind it upside down", draw::ColourMap::names()))
      ->capture_default_str();
  parser.add_option("--interpolation", options->interpolation, "Of the density between traces and samples")
      ->check(CLI::IsMember({"none", "linear", "cubic"}))
      ->capture_default_str();
  parser.add_option("--top", options->top,
                    "Words of the axis on top, separated by commas; default: the word that varies from trace to trace, "
                    "below that of the gathers");
  parser.add_option("--diff", options->diff,
                    "Show this file, too, and the difference of both, all with the clip of the first");
  parser.add_option("--picks", options->picks,
                    "Draw the velocities of this table over panels of semblance, as nmo takes it");
  parser.add_option("--size", options->size, "WIDTHxHEIGHT of the picture in pixels")->capture_default_str();
  parser.add_option("--dpi", options->dpi, "Pixels per inch: larger texts and lines, and the size of a PDF page")
      ->check(CLI::Range(20.0, 2400.0))
      ->capture_default_str();
  parser.add_option("--memory", options->memory,
                    "Bound of what the picture takes, such as 512M; default: three quarters of what the process may "
                    "use");
  add_map_option({parser, command});
  add_input_options({parser, command});
  command.run = [options](Session& session) { return run_view(session, *options); };
}

}  // namespace sill::cli
