// sill match4d: pairs the traces of two surveys of the same area that were recorded at nearly the same positions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "sill/base/html_text.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/flow/value/quantity.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/survey/timelapse/match4d.hpp"

namespace sill::cli {
namespace {

// A quantity of each pair, for the page.
struct PairNumber {
  std::string name;  ///< "NRMS"
  std::string unit;  ///< "%"
  double (*of)(const Match4dPair& pair) = nullptr;
  std::vector<double> sorted = {};  ///< the finite values of all pairs
  std::int64_t at_limit = 0;        ///< shifts without a maximum up to --max-lag

  // Returns the value that a share of the pairs do not exceed. Precondition: a pair has the quantity.
  [[nodiscard]] double percentile(double share) const {
    constexpr double rounding = 1e-12;  // of the product
    const double wanted = std::ceil((share - rounding) * static_cast<double>(sorted.size()));
    return sorted[static_cast<std::size_t>(std::max(1.0, wanted)) - 1];
  }
};

constexpr double plot_px = 480.0;  // width of a histogram, and of the longer side of a map
constexpr double line_px = 16.0;

// Source: viridis of matplotlib (CC0), every 32nd of its 256 colours.
constexpr std::array<std::uint32_t, 9> viridis{0x440154, 0x472c7a, 0x3b518b, 0x2c718e, 0x21908d,
                                               0x27ad81, 0x5cc863, 0xaadc32, 0xfde725};

std::string colour_of(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (viridis.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), viridis.size() - 2);
  const double rest = at - static_cast<double>(i);
  const auto channel = [&](unsigned shift) {
    return std::lround((1.0 - rest) * (viridis[i] >> shift & 0xffU) + rest * (viridis[i + 1] >> shift & 0xffU));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(16), channel(8), channel(0));
}

// Returns bars of equal width from the smallest value to the largest.
std::string histogram_of(const PairNumber& number) {
  const std::span<const double> sorted = number.sorted;
  // By the Rice rule, if the bars are wide enough to be visible.
  const std::size_t bars =
      std::clamp<std::size_t>(static_cast<std::size_t>(2.0 * std::cbrt(static_cast<double>(sorted.size()))), 10, 60);
  constexpr double height = 160.0;
  const double low = sorted.front();
  const double width = (sorted.back() - low) / static_cast<double>(bars);
  std::vector<std::int64_t> counts(bars);
  for (const double value : sorted) {
    const double bar = width > 0.0 ? std::min((value - low) / width, static_cast<double>(bars - 1)) : 0.0;
    ++counts[static_cast<std::size_t>(bar)];
  }
  const auto max = static_cast<double>(*std::ranges::max_element(counts));
  std::string svg = fmt::format("<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" role=\"img\" aria-label=\"{2}\">\n",
                                plot_px, height + 2 * line_px, escaped("histogram of " + number.name));
  for (std::size_t i = 0; i < bars; ++i) {
    const double tall = height * static_cast<double>(counts[i]) / max;
    const double step = plot_px / static_cast<double>(bars);
    svg += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"#3b6ea5\"/>\n",
                       static_cast<double>(i) * step, height - tall, step * 0.92, tall);
  }
  svg += svg_text(0, height + line_px, "start", fmt::format("{:.4g}", low));
  svg += svg_text(plot_px / 2, height + line_px, "middle",
                  fmt::format("{} [{}]; the highest bar is {} pairs", number.name, number.unit,
                              format_count(static_cast<std::int64_t>(max))));
  svg += svg_text(plot_px, height + line_px, "end", fmt::format("{:.4g}", sorted.back()));
  return svg + "</svg>\n";
}

struct Extent {
  double low = 0.0;
  double high = 0.0;
  [[nodiscard]] double length() const { return high - low; }
};

Extent extent_of(std::span<const Match4dPair> pairs, double PositionPair::*coordinate) {
  const auto [low, high] = std::ranges::minmax(pairs, {}, [&](const Match4dPair& one) { return one.pair.*coordinate; });
  return {low.pair.*coordinate, high.pair.*coordinate};
}

// Returns a map of the mean of the quantity in cells of equal size; +y is up. Colours range from the minimum to the
// 98th percentile, so that a few outliers do not make all other values look equal.
std::string map_of(const PairNumber& number, std::span<const Match4dPair> pairs) {
  const std::span<const double> sorted = number.sorted;
  constexpr double cells = 96.0;  // along the longer side
  const Extent x = extent_of(pairs, &PositionPair::x);
  const Extent y = extent_of(pairs, &PositionPair::y);
  const double longer = std::max({x.length(), y.length(), 1e-9});
  const double cell = longer / cells;
  const auto columns = static_cast<std::size_t>(x.length() / cell) + 1;
  const auto rows = static_cast<std::size_t>(y.length() / cell) + 1;
  std::vector<double> sums(columns * rows);
  std::vector<std::int64_t> counts(columns * rows);
  for (const Match4dPair& one : pairs) {
    const double value = number.of(one);
    if (!std::isfinite(value)) continue;
    const auto column = static_cast<std::size_t>((one.pair.x - x.low) / cell);
    const auto row = static_cast<std::size_t>((one.pair.y - y.low) / cell);
    sums[row * columns + column] += value;
    ++counts[row * columns + column];
  }
  const double low = sorted.front();
  const double high = number.percentile(0.98);
  const auto share = [&](double value) { return high > low ? (value - low) / (high - low) : 0.0; };
  const double px = plot_px / (cells + 1);
  const double height = static_cast<double>(rows) * px;
  constexpr double bar_px = 12.0;
  std::string svg = fmt::format("<svg viewBox=\"0 0 {0} {1:.1f}\" width=\"{0}\" role=\"img\" aria-label=\"{2}\">\n",
                                plot_px, height + bar_px + 5 * line_px, escaped("map of " + number.name));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const double mean = sums[i] / static_cast<double>(counts[i]);
    svg += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"><title>{:.4g} {}, {} "
        "pairs</title></rect>\n",
        static_cast<double>(i % columns) * px, height - static_cast<double>(i / columns + 1) * px, px, px,
        colour_of(share(mean)), mean, escaped(number.unit), counts[i]);
  }
  double below = height + line_px;
  svg += svg_text(0, below, "start", fmt::format("midpoints: x {:.10g} to {:.10g}", x.low, x.high));
  below += line_px;
  svg += svg_text(0, below, "start", fmt::format("y {:.10g} to {:.10g}, up", y.low, y.high));
  below += line_px / 2;
  constexpr int steps = 48;
  for (int i = 0; i < steps; ++i)
    svg += fmt::format("<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"/>\n",
                       plot_px * i / steps, below, plot_px / steps + 0.5, bar_px,
                       colour_of((i + 0.5) / static_cast<double>(steps)));
  below += bar_px + line_px;
  svg += svg_text(0, below, "start", fmt::format("{:.4g}", low));
  svg += svg_text(plot_px / 2, below, "middle", fmt::format("mean {} [{}]", number.name, number.unit));
  svg += svg_text(plot_px, below, "end", fmt::format("{:.4g}{}", high, sorted.back() > high ? " and more" : ""));
  return svg + "</svg>\n";
}

// Returns the quantities of the pairs: the distance, named after the measure, and, if the traces were compared, the
// measures of their similarity.
std::vector<PairNumber> pair_numbers(std::span<const Match4dPair> pairs, PositionMeasure measure,
                                     const std::string& length_unit, bool has_likeness) {
  std::vector<PairNumber> numbers;
  const bool is_dsdr = measure == PositionMeasure::dsdr;
  numbers.push_back({is_dsdr ? "DSDR" : "azimuth difference", is_dsdr ? length_unit : "degrees",
                     [](const Match4dPair& one) { return one.pair.distance; }});
  if (has_likeness) {
    numbers.push_back({"NRMS", "%", [](const Match4dPair& one) { return one.likeness.nrms_percent; }});
    numbers.push_back(
        {"predictability", "%", [](const Match4dPair& one) { return one.likeness.predictability_percent; }});
    numbers.push_back({"time shift", "ms", [](const Match4dPair& one) { return one.likeness.shift_ms; }});
    numbers.back().at_limit =
        std::ranges::count_if(pairs, [](const Match4dPair& one) { return one.likeness.is_shift_at_limit; });
  }
  for (PairNumber& number : numbers) {
    for (const Match4dPair& one : pairs)
      if (const double value = number.of(one); std::isfinite(value)) number.sorted.push_back(value);
    std::ranges::sort(number.sorted);
  }
  return numbers;
}

// Returns notes about the pairs that were not compared, or only in part.
std::vector<std::string> notes_of(const Match4dResult& result) {
  std::vector<std::string> notes = result.notes;
  if (result.left_out > 0)
    notes.push_back(fmt::format("{} not compared: a trace is dead (trid), or states another sample interval",
                                format_count(result.left_out, "pair")));
  if (result.between_samples > 0)
    notes.push_back(fmt::format("the delays of {} differ by a fraction of a sample: no NRMS and predictability",
                                format_count(result.between_samples, "pair")));
  return notes;
}

// Returns a page with a histogram and a map of the midpoints for each quantity. `title` names the surveys.
std::string match4d_page_of(const std::string& title, std::span<const std::string> notes,
                            std::span<const Match4dPair> pairs, std::span<const PairNumber> numbers) {
  std::string html = page_begin("sill match4d") + fmt::format("<h1>{}</h1>\n", escaped(title));
  for (const std::string& note : notes) html += fmt::format("<p>{}</p>\n", escaped(note));
  for (const PairNumber& number : numbers) {
    html += fmt::format("<h2>{}</h2>\n", escaped(fmt::format("{} [{}]", number.name, number.unit)));
    if (number.sorted.empty()) {
      html += "<p>No pair has a value.</p>\n";
      continue;
    }
    html += "<table style=\"width: auto\">\n" + row_of("pairs", format_count(std::ssize(number.sorted))) +
            row_of("smallest", fmt::format("{:.5g}", number.sorted.front())) +
            row_of("median", fmt::format("{:.5g}", number.percentile(0.5))) +
            row_of("90 % of all up to", fmt::format("{:.5g}", number.percentile(0.9))) +
            row_of("largest", fmt::format("{:.5g}", number.sorted.back())) +
            (number.at_limit > 0 ? row_of("at the limit of --max-lag", format_count(number.at_limit)) : "") +
            "</table>\n";
    html += "<div class=\"side\">\n<div>" + histogram_of(number) + "</div>\n<div>" + map_of(number, pairs) +
            "</div>\n</div>\n";
  }
  return html + "</body>\n</html>\n";
}

struct Match4dArguments {
  std::string base;
  std::string monitor;
  std::vector<std::string> outputs;
  std::string by = "dsdr";
  std::string max_dsdr;
  std::string max_azimuth;
  bool reciprocal = false;
  std::string match = "one";
  std::string same;
  std::string window;
  std::string max_lag = "20ms";
  std::string distance_word;
  std::string pairs;
  std::string html;
  std::string memory;
  OutputOptions output_options;
};

// Returns the options that do not depend on the surveys.
Match4dOptions options_of(const Match4dArguments& options) {
  Match4dOptions wanted;
  const bool is_dsdr = options.by == "dsdr";
  wanted.pairing.measure = is_dsdr ? PositionMeasure::dsdr : PositionMeasure::azimuth;
  if (!(is_dsdr ? options.max_azimuth : options.max_dsdr).empty())
    throw usage_error(
        fmt::format("--max-{} does not limit the distance that --by {} uses", is_dsdr ? "azimuth" : "dsdr", options.by),
        fmt::format("give --max-{}, or --by {}", options.by, is_dsdr ? "azimuth" : "dsdr"));
  if (!options.max_azimuth.empty())
    wanted.pairing.max_distance = flow::parse_quantity(options.max_azimuth, flow::Dimension::angle);
  wanted.pairing.reciprocal = options.reciprocal;
  wanted.pairing.reuse = options.match == "best";
  wanted.pairing.same = options.same;
  if (!options.window.empty()) wanted.window = segy::parse_time_window(options.window);
  wanted.max_lag_us = flow::parse_quantity(options.max_lag, flow::Dimension::time) * 1e6;
  constexpr double max_us = 1e6;
  if (!(wanted.max_lag_us >= 0.0) || wanted.max_lag_us > max_us)
    throw usage_error(fmt::format("the largest lag cannot be {}", options.max_lag), "give --max-lag from 0ms to 1s");
  wanted.distance_word = options.distance_word;
  wanted.renumber = options.output_options.renumber;
  if (options.output_options.history)
    wanted.history = fmt::format("SILL MATCH4D BY {} MATCH {}", options.by, options.match);
  return wanted;
}

std::string length_unit_of(const SurveyReader& reader) {
  switch (reader.files().front().measurement_system) {
    case 1: return "m";
    case 2: return "ft";
    default: return "units of the coordinates";
  }
}

// Returns the limit in the unit of the coordinates: metres, unless the survey states feet.
double max_dsdr_of(const std::string& text, const SurveyReader& reader) {
  const double metres = flow::parse_quantity(text, flow::Dimension::length);
  if (!(metres >= 0.0))
    throw usage_error(fmt::format("the largest distance cannot be {}", text), "give --max-dsdr of 0m or more");
  return metres / flow::length_unit_m(reader.files().front().measurement_system);
}

std::string number_text(double value) { return std::isfinite(value) ? fmt::format("{:.10g}", value) : ""; }

void write_pairs(WholeTextFile& file, std::span<const Match4dPair> pairs, bool is_dsdr, bool has_likeness) {
  std::string block = fmt::format("base,monitor,{}{}\n", is_dsdr ? "dsdr" : "azimuth_difference_deg",
                                  has_likeness ? ",nrms_percent,predictability_percent,shift_ms,shift_at_limit" : "");
  for (const Match4dPair& one : pairs) {
    constexpr std::size_t block_bytes = std::size_t{1} << 20;
    block += fmt::format("{},{},{}", one.pair.base + 1, one.pair.monitor + 1, number_text(one.pair.distance));
    if (has_likeness)
      block += fmt::format(",{},{},{},{}", number_text(one.likeness.nrms_percent),
                           number_text(one.likeness.predictability_percent), number_text(one.likeness.shift_ms),
                           !std::isfinite(one.likeness.shift_ms) ? ""
                           : one.likeness.is_shift_at_limit      ? "1"
                                                                 : "0");
    block += '\n';
    if (block.size() < block_bytes) continue;
    file.write(block);
    block.clear();
  }
  file.write(block);
}

int run_match4d(Session& session, const Match4dArguments& options) {
  Communicator& comm = session.comm();
  const std::string base_path = session.input(options.base);
  const std::string monitor_path = session.input(options.monitor);
  Match4dOptions wanted;
  run_and_agree(comm, [&] {
    wanted = options_of(options);
    session.bound_memory(options.memory);
  });
  wanted.base_output = session.output(options.outputs[0]);
  wanted.monitor_output = session.output(options.outputs[1]);
  std::vector<std::string> all_outputs{wanted.base_output, wanted.monitor_output};
  for (const std::string& side : {options.pairs, options.html})
    if (!side.empty()) all_outputs.push_back(side);
  session.reserve_files({base_path, monitor_path}, all_outputs);

  const SurveyReader base(session.resources(), {base_path}, session.map(), session.rules());
  const SurveyReader monitor(session.resources(), {monitor_path}, session.map(), session.rules());
  session.report_diagnostics(base.files());
  session.report_diagnostics(monitor.files());
  if (wanted.window) {
    base.require_sample_format();
    monitor.require_sample_format();
  }
  run_and_agree(comm, [&] {
    if (!options.max_dsdr.empty()) wanted.pairing.max_distance = max_dsdr_of(options.max_dsdr, base);
  });
  std::optional<WholeTextFile> pairs_file;
  std::optional<WholeTextFile> page;
  run_on_rank(comm, 0, [&] {
    if (!options.pairs.empty()) pairs_file.emplace(session.resources(), options.pairs);
    if (!options.html.empty()) page.emplace(session.resources(), options.html);
  });
  const Match4dResult result = match4d(session.resources(), base, monitor, wanted);

  const bool is_dsdr = wanted.pairing.measure == PositionMeasure::dsdr;
  const std::string counts = fmt::format("{} pairs of {} base and {} monitor traces", format_count(result.pairs),
                                         format_count(base.traces()), format_count(monitor.traces()));
  std::string text = fmt::format("{}\n", counts);
  run_on_rank(comm, 0, [&] {
    if (pairs_file) {
      write_pairs(*pairs_file, result.all, is_dsdr, wanted.window.has_value());
      pairs_file->finish();
    }
    const std::vector<PairNumber> numbers =
        pair_numbers(result.all, wanted.pairing.measure, length_unit_of(base), wanted.window.has_value());
    const std::vector<std::string> notes = notes_of(result);
    if (page) {
      page->write(match4d_page_of(fmt::format("{}: {} and {}", counts, options.base, options.monitor), notes,
                                  result.all, numbers));
      page->finish();
    }
    for (const PairNumber& number : numbers) {
      if (number.sorted.empty()) {
        text += fmt::format("  {:<15} none of the pairs has samples to compare\n", number.name);
        continue;
      }
      text += fmt::format(
          "  {:<15} {:.4g} to {:.4g} {}, median {:.4g}, 90 % up to {:.4g}{}{}\n", number.name, number.sorted.front(),
          number.sorted.back(), number.unit, number.percentile(0.5), number.percentile(0.9),
          std::ssize(number.sorted) == result.pairs
              ? ""
              : fmt::format("; of {} pairs", format_count(std::ssize(number.sorted))),
          number.at_limit > 0 ? fmt::format("; {} at the limit of --max-lag", format_count(number.at_limit)) : "");
    }
    for (const std::string& note : notes) text += fmt::format("  note            {}\n", note);
  });
  if (result.auxiliary > 0)
    text += fmt::format("  omitted         {} auxiliary traces (trid)\n", format_count(result.auxiliary));
  text +=
      fmt::format("  written         {} and {}, trace i of both is pair i\n", options.outputs[0], options.outputs[1]);
  text += fmt::format("  time            {}", format_duration(session.seconds()));
  session.print(text);
  session.warn_of_lengths(result.base.deviating_traces + result.monitor.deviating_traces);
  Done done;
  done.traces_in = base.traces() + monitor.traces();
  done.traces_out = result.base.traces + result.monitor.traces;
  if (!options.distance_word.empty()) done.words_changed = {options.distance_word};
  done.more = {{"pairs", result.pairs},
               {"auxiliary_traces", result.auxiliary},
               {"pairs_left_out", result.left_out},
               {"pairs_between_samples", result.between_samples}};
  return session.finish(done);
}

}  // namespace

void add_match4d(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] = add_command(
      program, commands, "match4d",
      "Pair the traces of a base and a monitor survey\nPairs traces recorded at nearly the same positions; trace i of "
      "both outputs is pair i.",
      "  sill match4d base.sgy monitor.sgy -o base_matched.sgy monitor_matched.sgy --max-dsdr 50m\n"
      "  sill match4d b.sgy m.sgy -o B.sgy M.sgy --max-dsdr 50m --nrms 1.5s:2.5s --pairs pairs.csv --html pairs.html\n"
      "  sill match4d b.sgy m.sgy -o B.sgy M.sgy --reciprocal --match best --same iline,xline\n",
      run_match4d);
  parser.add_option("BASE", options->base, "The base survey, a SEG-Y or Seismic Unix file")->required();
  parser.add_option("MONITOR", options->monitor, "The monitor survey, recorded later")->required();
  parser
      .add_option("-o,--output", options->outputs,
                  "Two files, for base and monitor, in the order of the base traces: trace i of both is pair i. They "
                  "appear when both are complete")
      ->required()
      ->expected(2);
  add_choice(parser, "--by", options->by, {"dsdr", "azimuth"},
             "Distance of a pair: between the sources plus between the receivers (dsdr), or the angle between the "
             "directions from source to receiver (azimuth)");
  parser.add_option("--max-dsdr", options->max_dsdr,
                    "Largest distance of a pair, such as 50m or 160ft. Default: no limit");
  parser.add_option("--max-azimuth", options->max_azimuth,
                    "With --by azimuth: largest angle of a pair, such as 5deg. Default: no limit");
  parser.add_flag("--reciprocal", options->reciprocal,
                  "Also compute the distance with source and receiver of one trace exchanged, and use the smaller one");
  add_choice(parser, "--match", options->match, {"one", "best"},
             "How to pair traces: the nearest first, each trace in at most one pair (one), or each base trace with its "
             "nearest monitor trace, which may be in several pairs (best)");
  parser.add_option("--same", options->same,
                    "Keys, separated by commas, that must be equal in both traces of a pair, such as iline,xline");
  CLI::Option* const window = parser.add_option(
      "--nrms", options->window,
      "Compare the traces of each pair in this time window, such as 1.5s:2.5s: NRMS, predictability, and time shift of "
      "the monitor");
  parser.add_option("--max-lag", options->max_lag, "Largest lag for predictability and time shift")
      ->capture_default_str()
      ->needs(window);
  parser.add_option("--dsdr-word", options->distance_word,
                    "Store the distance of each pair in this header word of both outputs, in the unit of the "
                    "coordinates (or degrees), rounded to the precision of the word. Default: not stored");
  parser.add_option(
      "--pairs", options->pairs,
      "Write a table of the pairs: trace numbers of the inputs, counted from 1, distance, and the results of --nrms");
  parser.add_option("--html", options->html,
                    "Write an HTML page with histograms and maps of the numbers in the table of pairs");
  parser.add_option("--memory", options->memory, memory_text);
  add_output_options({parser, command}, options->output_options);
  add_map_option({parser, command});
  add_input_options({parser, command});
}

}  // namespace sill::cli
