#include "sill/flow/view/section_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/flow/view/caption.hpp"
#include "sill/flow/view/ticks.hpp"

namespace sill::flow::view {
namespace {

constexpr int margin_px = 12;
constexpr int tick_px = 6;
constexpr int min_width_px = 800;
constexpr int px_per_tick = 50;
constexpr int word_gap_px = 4 * character_px;  // between a word and the label of the first trace
constexpr std::size_t axis_characters = 6;

// A value as it stands on an axis: of fractions six digits are enough there.
std::string axis_text(const std::string& value, double number) {
  constexpr std::size_t max_characters = 8;
  if (value.size() > max_characters && value.find('.') != value.npos) return fmt::format("{:.6g}", number);
  return echoed(value, 2 * max_characters);
}

// A text in lines of at most so many characters, broken at blanks where there are any.
std::vector<std::string> wrapped(std::string_view text, std::size_t characters) {
  std::vector<std::string> lines;
  while (text.size() > characters) {
    std::size_t end = text.rfind(' ', characters);
    if (end == text.npos || end < characters / 2) end = characters;
    // No character of several bytes is divided.
    while (end > 1 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    if (text.starts_with(' ')) text.remove_prefix(1);
  }
  lines.emplace_back(text);
  return lines;
}

class SectionPage {
 public:
  SectionPage(const Section& section, const Placement& placement, const PictureStyle& style)
      : section_(section), placement_(placement), style_(style) {}

  Drawing draw() {
    const bool has_names = section_.panels.size() > 1;
    const auto top_rows = static_cast<int>(section_.top_words) + (has_names ? 1 : 0);
    drawing_.image_x = margin_px + label_characters() * character_px + 2 * tick_px + word_gap_px;
    drawing_.image_y = margin_px + top_rows * text_line_px + 2 * tick_px;
    drawing_.width = std::max(min_width_px, drawing_.image_x + placement_.width + 4 * margin_px);
    drawing_.image_width = placement_.width;
    drawing_.image_height = placement_.height;
    draw_time();
    for (std::size_t panel = 0; panel < section_.panels.size(); ++panel) draw_top(panel, has_names);
    draw_caption();
    return std::move(drawing_);
  }

 private:
  [[nodiscard]] int label_characters() const {
    std::size_t longest = axis_characters;
    for (std::size_t word = 0; word < section_.top_words; ++word) longest = std::max(longest, shown_word(word).size());
    return static_cast<int>(longest);
  }

  [[nodiscard]] std::string shown_word(std::size_t word) const { return echoed(section_.words[word], 16); }

  void draw_time() {
    const bool has_interval = section_.interval_us > 0.0;
    const bool is_depth = section_.domain == segy::Domain::depth;
    const double unit_us = !has_interval ? 1.0 : is_depth ? 1000.0 : 1e6;
    const double step_us = has_interval ? section_.interval_us : 1.0;
    // Samples count from 1 where they have no time.
    const double first = has_interval ? section_.first_us / unit_us : section_.first_us + 1.0;
    const double step = step_us / unit_us;
    const double last = first + step * static_cast<double>(section_.window_samples - 1);
    const int right = drawing_.image_x - 1;
    for (const Tick& tick : round_ticks(first, last, std::max(2, placement_.height / px_per_tick))) {
      const double sample = (tick.value - first) / step;
      const double row = (sample + 0.5) / static_cast<double>(section_.samples_per_row);
      const int y = drawing_.image_y + std::clamp(static_cast<int>(row * placement_.row_px), 0, placement_.height - 1);
      drawing_.lines.push_back({right - tick_px, y, right, y});
      drawing_.labels.push_back({right - 2 * tick_px, y, Anchor::end, tick.text});
    }
    drawing_.lines.push_back({right, drawing_.image_y, right, drawing_.image_y + placement_.height - 1});
    const char* const unit = section_.measurement_system == 1   ? "depth [m]"
                             : section_.measurement_system == 2 ? "depth [ft]"
                                                                : "depth";
    drawing_.labels.push_back({margin_px, drawing_.image_y + placement_.height + text_line_px, Anchor::begin,
                               !has_interval ? "sample"
                               : is_depth    ? unit
                                             : "time [s]"});
  }

  // Values of a word above the traces that have them; of the word of gathers, above their middles.
  void draw_top(std::size_t panel, bool has_names) {
    const int left = drawing_.image_x + placement_.panel_x[panel];
    int y = margin_px + text_line_px / 2;
    if (has_names) {
      const auto fitting = static_cast<std::size_t>(std::max(4, placement_.panel_width / character_px));
      const std::string name = panel == 2 ? section_.panels[panel].name
                                          : std::filesystem::path(section_.panels[panel].name).filename().string();
      drawing_.labels.push_back({left + placement_.panel_width / 2, y, Anchor::middle, echoed(name, fitting)});
      y += text_line_px;
    }
    for (std::size_t word = 0; word < section_.top_words; ++word, y += text_line_px) {
      if (panel == 0)
        drawing_.labels.push_back({drawing_.image_x - 2 * tick_px - word_gap_px, y, Anchor::end, shown_word(word)});
      const bool is_last = word + 1 == section_.top_words;
      const bool is_of_gathers = section_.words[word] == section_.gather_word && !is_last;
      const std::vector<LabelPlace> places =
          is_of_gathers ? places_of_gathers(word, left) : places_of_traces(word, left);
      for (const std::size_t i : places_to_label(places, character_px)) {
        drawing_.labels.push_back({places[i].x, y, Anchor::middle, places[i].text});
        if (is_last)
          drawing_.lines.push_back({places[i].x, drawing_.image_y - 1 - tick_px, places[i].x, drawing_.image_y - 1});
      }
    }
    drawing_.lines.push_back({left, drawing_.image_y - 1, left + placement_.panel_width - 1, drawing_.image_y - 1});
  }

  [[nodiscard]] std::vector<LabelPlace> places_of_traces(std::size_t word, int left) const {
    std::vector<LabelPlace> places;
    for (std::size_t i = 0; i < section_.traces.size(); ++i)
      places.push_back({left + placement_.trace_x[i] + placement_.trace_px / 2, section_.traces[i].numbers[word],
                        axis_text(section_.traces[i].values[word], section_.traces[i].numbers[word])});
    return places;
  }

  [[nodiscard]] std::vector<LabelPlace> places_of_gathers(std::size_t word, int left) const {
    const std::vector<LabelPlace> traces = places_of_traces(word, left);
    std::vector<LabelPlace> places;
    for (std::size_t begin = 0; begin < traces.size();) {
      std::size_t end = begin + 1;
      while (end < traces.size() && !section_.traces[end].starts_gather) ++end;
      places.push_back({(traces[begin].x + traces[end - 1].x) / 2, traces[begin].value, traces[begin].text});
      begin = end;
    }
    return places;
  }

  void draw_caption() {
    const auto characters = static_cast<std::size_t>((drawing_.width - 2 * margin_px) / character_px);
    int y = drawing_.image_y + placement_.height + 2 * text_line_px + text_line_px / 2;
    for (const std::string& line : caption_of(section_, placement_, style_))
      for (std::string& part : wrapped(line, characters)) {
        drawing_.labels.push_back({margin_px, y, Anchor::begin, std::move(part)});
        y += text_line_px;
      }
    drawing_.height = y + margin_px - text_line_px / 2;
  }

  const Section& section_;
  const Placement& placement_;
  const PictureStyle& style_;
  Drawing drawing_;
};

}  // namespace

Drawing draw_section(SectionReader& reader, const Placement& placement, const PictureStyle& style,
                     const std::optional<ShownVelocities>& velocities) {
  Drawing drawing = SectionPage(reader.section(), placement, style).draw();
  std::vector<CurvePoint> curves;
  if (velocities) {
    curves = curves_of(reader.section(), placement, *velocities);
    if (curves.empty())
      throw Error({.code = ErrorCode::usage,
                   .problem = "none of the velocities lies among those of the traces, which panels of semblance have "
                              "in their offset word, ascending",
                   .where = {.file = reader.section().file},
                   .action = "show panels that 'semblance' has made"});
  }
  drawing.draw_image = [&reader, &placement, &style, curves = std::move(curves)](Band& band, int x, int y) {
    draw_picture(reader, placement, style, band, x, y);
    draw_curves(curves, style.palette, band, x, y);
  };
  return drawing;
}

}  // namespace sill::flow::view
