// sill spectrum: amplitude and f-k spectra.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "cli/view/picture_options.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/view/axis_words.hpp"
#include "sill/view/charts.hpp"

namespace sill::cli {
namespace {

constexpr std::int64_t max_mean_traces = 4000;
constexpr std::int64_t max_fk_traces = 1200;

struct SpectrumArguments : DrawingArguments {
  bool is_fk = false;
  double spacing = 0.0;
};

// Returns the spacing of the traces: `given`, or, if this is 0, the spacing of their offsets, which is negative if they
// descend. Errors: usage, if the traces begin at different times, or if their offsets are not evenly spaced.
double spacing_of(const SurveyReader& reader, std::span<const std::int64_t> traces, double given) {
  const std::optional<segy::DelayWord> delay = segy::DelayWord::of(reader.words());
  std::optional<segy::WordRef> offset;
  if (given == 0.0) offset = reader.words().word("offset");
  const int bytes =
      std::max({1, delay ? delay->needed_bytes().end : 0, offset ? segy::bytes_of_true_value(*offset).end : 0});
  std::vector<std::byte> headers(traces.size() * static_cast<std::size_t>(bytes));
  reader.read_own_headers(traces, headers, bytes);
  std::vector<double> offsets;
  double first_us = 0.0;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const segy::HeaderView trace = reader.view(traces[i], headers.data() + i * static_cast<std::size_t>(bytes));
    if (offset) offsets.push_back(segy::true_value(*offset, trace.header, trace.order));
    const double start_us = delay ? delay->start_us(trace.header, trace.order) : 0.0;
    if (i == 0) first_us = start_us;
    if (start_us != first_us)
      throw usage_error(
          fmt::format("the trace begins at {} ms, but the first trace at {} ms; an f-k spectrum needs traces "
                      "whose samples have the same times",
                      start_us / 1000.0, first_us / 1000.0),
          "give all traces the same samples with 'sill flow FILE -o OUTPUT --do \"window T1 T2 pad\"'",
          reader.where(traces[i]));
  }
  if (!offset) return given;
  const flow::OffsetSpacing found = flow::spacing_of_offsets(offsets, segy::is_float(offset->type) ? 0.0 : 1.0);
  if (!found.uneven) return found.spacing;
  throw usage_error(
      "the offsets of the traces are not evenly spaced, so their wavenumbers are unknown",
      "select one gather in the order of offsets, or give the distance between neighbouring traces with --spacing",
      reader.where(traces[static_cast<std::size_t>(*found.uneven)]));
}

int run_spectrum(Session& session, const SpectrumArguments& options) {
  run_and_agree(session.comm(), [&] { options.picture.require_valid(); });
  const InputSurvey reader(session, {session.reserved_input(options.file, {options.picture.output})});
  reader.require_sample_format();
  const view::ShownTraces shown = view::choose_shown_traces(session.resources(), reader, options.traces,
                                                            options.is_fk ? max_fk_traces : max_mean_traces);
  run_and_agree(session.comm(), [&] {
    if (!options.is_fk || shown.stride == 1) return;
    throw usage_error(fmt::format("{} traces are selected, but an f-k spectrum shows at most {}: without the traces "
                                  "between others its wavenumbers would be wrong",
                                  format_count(shown.selected), format_count(max_fk_traces)),
                      "select neighbouring traces, such as --traces 1:1200, or one gather with --gather",
                      {.file = reader.paths().front()});
  });
  const std::string what =
      fmt::format("{} of {} traces", format_count(std::ssize(shown.numbers)), format_count(shown.selected));
  return draw_chart(
      session, options.picture, reader,
      [&] {
        draw::Chart chart;
        if (options.is_fk) {
          const double spacing = spacing_of(reader, shown.numbers, options.spacing);
          chart = view::fk_spectrum(reader, shown.numbers, spacing,
                                    std::string(view::length_unit_of(reader.files().front().measurement_system)),
                                    session.resources().progress);
          chart.colours = options.picture.colour_map();
        } else {
          chart = view::amplitude_spectrum(reader, shown.numbers, session.resources().progress);
        }
        chart.title = fmt::format("{}: {} spectrum{}", echoed(options.file, 200), options.is_fk ? "f-k" : "amplitude",
                                  shown.condition.empty() ? "" : ", " + echoed(shown.condition, 200));
        chart.notes.insert(chart.notes.begin(), what);
        return chart;
      },
      what);
}

}  // namespace

void add_spectrum(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "spectrum", "Draw the amplitude spectrum or f-k spectrum of traces",
                  "  sill spectrum stack.sgy -o spectrum.png\n"
                  "  sill spectrum shots.sgy -o fk.png --fk --gather fldr=80\n"
                  "  sill spectrum stack.sgy -o fk.png --fk --spacing 6.25\n",
                  run_spectrum);
  add_drawing_options(parser, *options);
  CLI::Option* const fk = parser.add_flag(
      "--fk", options->is_fk,
      "Draw the spectrum over frequency and wavenumber; the traces, at most 1,200, must be evenly spaced");
  parser
      .add_option(
          "--spacing", options->spacing,
          "Distance between neighbouring traces, in the survey's unit. Default: the distance between their offsets")
      ->check(NumberRange(1e-3, 1e6))
      ->needs(fk);
  parser.get_option("--colors")->needs(fk);
  add_map_option({parser, command});
  add_input_options({parser, command});
}

}  // namespace sill::cli
