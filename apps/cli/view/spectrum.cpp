// sill spectrum: amplitude and f-k spectra.
#include <fmt/format.h>

#include <cmath>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "cli/view/picture_options.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/words/key.hpp"
#include "sill/view/charts.hpp"

namespace sill::cli {
namespace {

constexpr std::int64_t max_mean_traces = 4000;
constexpr std::int64_t max_fk_traces = 1200;

struct SpectrumArguments : DrawingArguments {
  bool is_fk = false;
  double spacing = 0.0;
};

// Returns the distance between neighbours, computed from their offsets. Errors: usage, if the spacing is not uniform.
double spacing_by_offset(const SurveyReader& reader, std::span<const std::int64_t> traces) {
  const segy::TraceKey offset = segy::TraceKey::parse("offset", reader.words());
  std::vector<double> offsets;
  std::vector<std::byte> headers(traces.size() * static_cast<std::size_t>(segy::trace_header_bytes));
  reader.read_own_headers(traces, headers, segy::trace_header_bytes);
  for (std::size_t i = 0; i < traces.size(); ++i)
    offsets.push_back(
        offset.value(reader.view(traces[i], headers.data() + i * static_cast<std::size_t>(segy::trace_header_bytes)))
            .as_double());
  const double step =
      traces.size() < 2 ? 0.0 : (offsets.back() - offsets.front()) / static_cast<double>(traces.size() - 1);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    if (step == 0.0 || std::abs(offsets[i] - offsets.front() - step * static_cast<double>(i)) > std::abs(step))
      throw usage_error(
          "the offsets of the traces are not evenly spaced, so their wavenumbers are unknown",
          "select one gather in the order of offsets, or give the distance between neighbouring traces with --spacing",
          reader.where(traces[i]));
  return std::abs(step);
}

int run_spectrum(Session& session, const SpectrumArguments& options) {
  run_and_agree(session.comm(), [&] { options.picture.require_valid(); });
  const InputSurvey reader(session, {session.reserved_input(options.file, {options.picture.output})});
  reader.require_sample_format();
  const view::ShownTraces shown = view::choose_shown_traces(session.resources(), reader, options.traces,
                                                            options.is_fk ? max_fk_traces : max_mean_traces);
  const std::string what =
      fmt::format("{} of {} traces", format_count(std::ssize(shown.numbers)), format_count(shown.selected));
  return draw_chart(
      session, options.picture, reader,
      [&] {
        draw::Chart chart;
        if (options.is_fk) {
          const double spacing = options.spacing > 0.0 ? options.spacing * static_cast<double>(shown.stride)
                                                       : spacing_by_offset(reader, shown.numbers);
          const bool is_feet = reader.files().front().measurement_system == 2;
          chart = view::fk_spectrum(reader, shown.numbers, spacing, is_feet ? "ft" : "m", session.resources().progress);
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
      "--fk", options->is_fk, "Draw the spectrum over frequency and wavenumber; the traces must be evenly spaced");
  parser
      .add_option(
          "--spacing", options->spacing,
          "Distance between neighbouring traces, in the survey's unit. Default: the distance between their offsets")
      ->check(CLI::Range(1e-3, 1e6))
      ->needs(fk);
  parser.get_option("--colors")->needs(fk);
  add_map_option({parser, command});
  add_input_options({parser, command});
}

}  // namespace sill::cli
