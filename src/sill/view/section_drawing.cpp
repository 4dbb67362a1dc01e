#include "sill/view/section_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/view/caption.hpp"

namespace sill::view {
namespace {

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
  if (!(section.interval_us > 0.0)) return {"sample", section.first_us + 1.0, 1.0};
  if (section.domain != segy::Domain::depth) return {"time [s]", section.first_us / 1e6, section.interval_us / 1e6};
  const char* const name = section.measurement_system == 1   ? "depth [m]"
                           : section.measurement_system == 2 ? "depth [ft]"
                                                             : "depth";
  return {name, section.first_us / 1000.0, section.interval_us / 1000.0};
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
    frame_.bar.emplace(draw::ColourBar{style.colours, -static_cast<double>(section.clip),
                                       static_cast<double>(section.clip), amplitude_name(section)});
  if (!velocities) return;
  curves_ = curves_of(section, frame_.layout, placement_, *velocities);
  if (curves_.empty())
    throw usage_error(
        "none of the velocities is in the range of the traces; panels of semblance have ascending "
        "velocities in the offset word",
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
    if (section.stride > 1 && !is_of_gathers)
      if (std::vector<LabelPlace> round = round_places(frame_.layout, places); !round.empty())
        places = std::move(round);
    std::ranges::move(places, std::back_inserter(frame_.rows[row].places));
  }
}

void SectionDrawing::write(draw::PictureForm form, const draw::Sink& sink) {
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
