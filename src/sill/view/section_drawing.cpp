#include "sill/view/section_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"

namespace sill::view {
namespace {

std::string samples_of(const Section& section) {
  const bool is_depth = section.about.domain == segy::Domain::depth;
  std::string text = fmt::format("{} samples per trace", section.lengths.text());
  if (!(section.about.interval_us > 0.0)) return text + ", interval not stated (0): shown by number";
  if (is_depth)
    text += fmt::format(", along depth, {:g} apart, first at {:g} (the file's numbers, of thousandths)",
                        section.about.interval_us / 1000.0, section.first_trace_us / 1000.0);
  else
    text +=
        fmt::format(", dt {:g} ms, delay {:g} ms", section.about.interval_us / 1000.0, section.first_trace_us / 1000.0);
  if (section.delays_vary) text += " (of the first trace; delays differ)";
  return text;
}

std::string clip_of(const Section& section, const PictureStyle& style) {
  if (!(section.clip > 0.0F)) return "no clip: all samples shown are 0";
  const double share = section.shown_samples == 0 ? 0.0
                                                  : 100.0 * static_cast<double>(section.clipped_samples) /
                                                        static_cast<double>(section.shown_samples);
  return fmt::format("{} ({}{}), {:.2f}% of samples clipped",
                     clip_text(lowest_colored(section, style), static_cast<double>(section.clip)),
                     section.request.clip.is_percentile
                         ? fmt::format("{:g}% of the non-zero |x| shown", section.request.clip.percent)
                         : "as given",
                     section.other_file.empty() ? "" : ", of the first file, for all", share);
}

std::string gain_of(const Section& section) {
  if (section.request.gain == ViewGain::trace) return "gain: each trace divided by its rms";
  if (section.request.gain == ViewGain::agc) return fmt::format("gain: AGC, window {}", section.request.agc_window);
  return "no gain";
}

std::string polarity_of(const Section& section, const PictureStyle& style) {
  const std::string& colours = style.colours.name();
  std::string text = colours == "grey"      ? "positive is black"
                     : colours == "redblue" ? "positive is red"
                                            : "positive has the upper colors";
  if (style.colours.is_reversed()) text = colours == "grey" ? "positive is white" : "positive has the upper colors";
  if (style.kind == PictureKind::wiggle) text = "positive is black, filled to the right";
  if (style.kind == PictureKind::both) text += "; wiggles filled to the right";
  text += ", as stored; ";
  if (!section.polarity_code) return text + "no polarity code (Seismic Unix)";
  text += fmt::format("polarity code {} (bytes 3257-3258)", *section.polarity_code);
  switch (*section.polarity_code) {
    case 0: return text + ": not stated";
    case 1: return text + ": pressure increase or upward motion is a negative number";
    case 2: return text + ": pressure increase or upward motion is a positive number";
    default: return text + ": not defined";
  }
}

std::string decimation_of(const Section& section, const PictureStyle& style) {
  std::string text = section.request.traces.stride == 1
                         ? "every trace"
                         : fmt::format("1 of {} traces ({} shown), none averaged", section.request.traces.stride,
                                       format_count(std::ssize(section.traces)));
  text +=
      section.samples_per_row == 1
          ? ", every sample"
          : fmt::format(", of every {} samples the one with the largest |x|, with its sign", section.samples_per_row);
  if (style.kind == PictureKind::wiggle || style.interpolation == Interpolation::none) return text;
  return text + (style.interpolation == Interpolation::linear ? ", linear between them" : ", cubic between them");
}

// Returns the text that titles contain: "traces 1 to 100 of 2,000", "iline == 5".
std::string shown_traces_text(const Section& section) {
  const std::int64_t first = section.traces.front().number + 1;
  if (!section.request.traces.condition.empty())
    return fmt::format("{}, {} of {} traces", echoed(section.request.traces.condition, 200),
                       format_count(section.request.traces.selected), format_count(section.all_traces));
  if (section.request.traces.selected == 1)
    return fmt::format("trace {} of {}", format_count(first), format_count(section.all_traces));
  return fmt::format("traces {} to {} of {}", format_count(first),
                     format_count(first + section.request.traces.selected - 1), format_count(section.all_traces));
}

// Returns the name of the quantity on the colour bar.
std::string amplitude_name(const Section& section) {
  return section.request.gain == ViewGain::none ? "amplitude" : "amplitude after gain";
}

// Returns notes, the most important first: decimation and interpolation; clip and gain; dead traces and samples that
// are not finite; uncertain times; doubts about the sample format; polarity; samples.
std::vector<std::string> caption_of(const Section& section, const Placement& placement, const PictureStyle& style) {
  std::vector<std::string> notes{decimation_of(section, style), clip_of(section, style)};
  if (std::string text = oddities_text(section.dead_traces, section.nonfinite_samples, style.colours); !text.empty())
    notes.push_back(std::move(text));
  if (!placement.has_all_gaps)
    notes.push_back(fmt::format("no gaps between gathers ({}): too many", section.gather_word));
  notes.insert(notes.end(), section.notes.begin(), section.notes.end());
  if (!section.request.format_doubt.empty())
    notes.push_back("sample format in doubt: " + echoed(section.request.format_doubt, 300));
  notes.push_back(gain_of(section));
  notes.push_back(polarity_of(section, style));
  notes.push_back(samples_of(section));
  notes.push_back(fmt::format("sample format {}: {}", segy::code_of(section.about.sample_format),
                              segy::name_of(section.about.sample_format)));
  return notes;
}

std::size_t index_of_word(const Section& section, const std::string& word) {
  return static_cast<std::size_t>(std::ranges::find(section.words, word) - section.words.begin());
}

// Returns the position of a velocity among the traces `first` to `end` - 1, in pixels.
std::optional<double> place_of(const Section& section, const Placement& placement, std::size_t word, std::size_t first,
                               std::size_t end, double velocity) {
  const auto value = [&](std::size_t i) { return section.traces[i].numbers[word]; };
  const auto middle = [&](std::size_t i) { return placement.trace_x[i] + 0.5 * placement.trace_px; };
  for (std::size_t i = first; i + 1 < end; ++i)
    if (velocity >= value(i) && velocity <= value(i + 1) && value(i) < value(i + 1))
      return middle(i) + (velocity - value(i)) / (value(i + 1) - value(i)) * (middle(i + 1) - middle(i));
  return std::nullopt;
}

// Returns a curve for each gather of the first panel. The gather must be a panel of velocities: its offset words are
// velocities, in ascending order. A curve has a point for each row of pixels in which the velocity is within the range
// of the traces, and is interrupted at other rows. Precondition: the section has the offset word and the location word
// of the velocities.
std::vector<VelocityCurve> curves_of(const Section& section, const draw::FrameLayout& layout,
                                     const Placement& placement, const ShownVelocities& velocities) {
  const std::size_t offset = index_of_word(section, "offset");
  const std::size_t location = index_of_word(section, velocities.field->location_word());
  const double row_s = section.about.interval_us * 1e-6 * static_cast<double>(section.samples_per_row);
  std::vector<VelocityCurve> curves;
  for (std::size_t first = 0; first < section.traces.size();) {
    std::size_t end = first + 1;
    while (end < section.traces.size() && !section.traces[end].starts_gather) ++end;
    const flow::VelocityFunction function = velocities.field->function_at(section.traces[first].numbers[location]);
    VelocityCurve curve;
    const auto finish_curve = [&] {
      if (!curve.points.empty()) curves.push_back(std::exchange(curve, {}));
    };
    for (int y = 0; y < layout.height; ++y) {
      const double row = (y + 0.5) / placement.row_px;
      const double time_s = section.first_us * 1e-6 + (row - 0.5) * row_s;
      const double next_s = time_s + row_s / placement.row_px;
      const auto place = place_of(section, placement, offset, first, end, function.at(time_s) / velocities.unit_m);
      if (!place) {
        finish_curve();
        continue;
      }
      const bool is_given =
          std::ranges::any_of(function.times(), [&](double given) { return given >= time_s && given < next_s; });
      curve.points.push_back({layout.x + *place, layout.y + y + 0.5, is_given});
    }
    finish_curve();
    first = end;
  }
  return curves;
}

// Draws the curves, with a mark at each time of the velocity table.
void draw_curves(const std::vector<VelocityCurve>& curves, const draw::FrameLayout& layout,
                 const draw::ColourMap& colours, draw::Canvas& canvas) {
  constexpr draw::Colour blue{30, 90, 230};
  canvas.set_colour(colours.name() == "grey" ? blue : draw::black);
  canvas.set_line_width(2.0 * layout.line_px);
  const double mark = 7.0 * layout.line_px;
  for (const VelocityCurve& curve : curves) {
    for (const VelocityCurve::Point& point : curve.points)
      &point == curve.points.data() ? canvas.move_to(point.x, point.y) : canvas.line_to(point.x, point.y);
    canvas.stroke();
    for (const VelocityCurve::Point& point : curve.points)
      if (point.is_given) canvas.rectangle(point.x - 0.5 * mark, point.y - 0.5 * mark, mark, mark);
  }
}

using draw::LabelPlace;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// Returns a value as an axis shows it: fractions have six significant digits.
std::string axis_text(const std::string& value, double number) {
  constexpr std::size_t max_characters = 8;
  if (value.size() > max_characters && value.find('.') != value.npos) return fmt::format("{:.6g}", number);
  return echoed(value, 2 * max_characters);
}

// Returns round integers between traces whose numbers ascend evenly, of which only some are shown; none if the numbers
// do not ascend evenly.
std::vector<LabelPlace> round_places(const draw::FrameLayout& layout, const std::vector<LabelPlace>& places) {
  const double step = places.size() < 2 ? 0.0 : places[1].value - places[0].value;
  for (std::size_t i = 1; i < places.size(); ++i)
    if (!(step > 0.0) || places[i].value - places[i - 1].value != step) return {};
  if (!(step > 0.0)) return {};
  std::vector<LabelPlace> round;
  for (const draw::FrameTick& tick :
       draw::ticks_between(layout, places.front().value, places.back().value, places.front().x, places.back().x, true))
    if (tick.text.find('.') == tick.text.npos) round.push_back({tick.at, no_number, tick.text});
  return round;
}

draw::FrameAxis time_axis(const Section& section, const draw::FrameLayout& layout) {
  const auto [name, first, step] = sample_axis_of(section);
  const auto per_row = static_cast<double>(section.samples_per_row);
  // The edges of the area are half a sample outside the first sample and, if a row has several samples, at the end of
  // the last row.
  const double top = first - 0.5 * step;
  const double bottom = top + step * per_row * static_cast<double>(section.rows);
  const double last = first + step * static_cast<double>(section.window_samples - 1);
  const auto at = [&](double value) { return layout.y + (value - top) / (bottom - top) * layout.height; };
  draw::FrameAxis axis;
  axis.ticks = draw::ticks_between(layout, first, last, at(first), at(last), false);
  axis.name = name;
  return axis;
}

// In panels of semblance the offset word contains velocities.
std::string unit_text(const Section& section, std::size_t word, bool is_semblance) {
  const std::string& unit = section.units[word];
  return unit.empty() || (is_semblance && section.words[word] == "offset") ? "" : fmt::format(" [{}]", unit);
}

std::string title_of(const Section& section) {
  if (!section.other_file.empty())
    return fmt::format("{} and {}", echoed(section.file, 200), echoed(section.other_file, 200));
  return fmt::format("{}: {}", echoed(section.file, 200), shown_traces_text(section));
}

}  // namespace

SampleAxis sample_axis_of(const Section& section) {
  if (!(section.about.interval_us > 0.0)) return {"sample", section.first_us + 1.0, 1.0};
  if (section.about.domain != segy::Domain::depth)
    return {"time [s]", section.first_us / 1e6, section.about.interval_us / 1e6};
  const char* const name = section.about.measurement_system == 1   ? "depth [m]"
                           : section.about.measurement_system == 2 ? "depth [ft]"
                                                                   : "depth";
  return {name, section.first_us / 1000.0, section.about.interval_us / 1000.0};
}

int top_rows_of(const std::string& top, bool has_panels) {
  constexpr int default_rows = 2;
  const int rows = top.empty() ? default_rows : 1 + static_cast<int>(std::ranges::count(top, ','));
  return rows + (has_panels ? 1 : 0);
}

SectionDrawing::SectionDrawing(SectionReader& reader, const PictureStyle& style,
                               const std::optional<ShownVelocities>& velocities)
    : reader_(reader),
      style_(style),
      frame_{.layout = layout_of(
                 style, static_cast<int>(reader.section().top_words) + (reader.section().panels.size() > 1 ? 1 : 0))},
      placement_(place_traces(reader.section(), frame_.layout)) {
  const Section& section = reader.section();
  frame_.title = title_of(section);
  frame_.notes = caption_of(section, placement_, style);
  frame_.left = time_axis(section, frame_.layout);
  if (section.panels.size() > 1) frame_.rows.push_back({.max_width = placement_.panel_width});
  for (std::size_t word = 0; word < section.top_words; ++word)
    frame_.rows.push_back({.name = echoed(section.words[word], 16) + unit_text(section, word, velocities.has_value()),
                           .has_ticks = word + 1 == section.top_words});
  for (std::size_t panel = 0; panel < section.panels.size(); ++panel) add_rows(panel);
  if (frame_.layout.parts.has_colour_bar && section.clip > 0.0F)
    frame_.bar.emplace(draw::ColourBar{style.colours, lowest_colored(section, style), static_cast<double>(section.clip),
                                       amplitude_name(section)});
  if (!velocities) return;
  curves_ = curves_of(section, frame_.layout, placement_, *velocities);
  if (curves_.empty())
    throw usage_error(
        "none of the velocities is in the range of the traces; panels of semblance have ascending velocities in the "
        "offset word",
        "show panels that 'semblance' has made", {.file = section.file});
}

// Adds the values of a word above its traces; the values of the gather word above the middles of gathers.
void SectionDrawing::add_rows(std::size_t panel) {
  const Section& section = reader_.section();
  const double left = frame_.layout.x + placement_.panel_x[panel];
  frame_.boxes.push_back({left, placement_.panel_width});
  std::size_t row = 0;
  if (section.panels.size() > 1) {
    const std::string& name = section.panels[panel].name;
    const std::string shown = panel == 2 ? name : std::filesystem::path(name).filename().string();
    frame_.rows[row++].places.push_back({left + 0.5 * placement_.panel_width, no_number, echoed(shown, 60)});
  }
  for (std::size_t word = 0; word < section.top_words; ++word, ++row) {
    const bool is_of_gathers = section.words[word] == section.gather_word && word + 1 < section.top_words;
    std::vector<LabelPlace> places;
    for (std::size_t begin = 0; begin < section.traces.size();) {
      std::size_t end = begin + 1;
      while (is_of_gathers && end < section.traces.size() && !section.traces[end].starts_gather) ++end;
      const double middle = 0.5 * (placement_.trace_x[begin] + placement_.trace_x[end - 1] + placement_.trace_px);
      const SectionTrace& trace = section.traces[begin];
      places.push_back({left + middle, trace.numbers[word], axis_text(trace.values[word], trace.numbers[word])});
      begin = end;
    }
    if (section.request.traces.stride > 1 && !is_of_gathers)
      if (std::vector<LabelPlace> round = round_places(frame_.layout, places); !round.empty())
        places = std::move(round);
    std::ranges::move(places, std::back_inserter(frame_.rows[row].places));
  }
}

void SectionDrawing::write(draw::PictureForm form, const TextSink& sink) {
  const draw::TextMeasure measure;
  draw::write_picture(
      form, style_.page, frame_.title,
      [&](draw::Canvas& canvas) {
        draw_picture(reader_, frame_.layout, placement_, style_, canvas);
        draw_curves(curves_, frame_.layout, style_.colours, canvas);
        draw::draw_frame(canvas, measure, frame_);
      },
      sink);
}

}  // namespace sill::view
