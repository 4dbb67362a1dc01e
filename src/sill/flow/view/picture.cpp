#include "sill/flow/view/picture.hpp"

#include <algorithm>
#include <cmath>

namespace sill::flow::view {
namespace {

constexpr int min_wiggle_px = 4;
constexpr int max_trace_px = 48;
constexpr int max_row_px = 16;
constexpr int max_gap_px = 8;
constexpr int min_gap_px = 2;
constexpr int panel_gap_px = 16;
constexpr Colour black{0, 0, 0};
constexpr Colour white{255, 255, 255};

int panel_room(const PictureStyle& style, int panels) {
  return std::max(1, (style.width - (panels - 1) * panel_gap_px) / panels);
}

// -1 to 1.
double relative(float sample, float clip) {
  if (!(clip > 0.0F)) return 0.0;
  return std::clamp(static_cast<double>(sample) / static_cast<double>(clip), -1.0, 1.0);
}

Colour density_colour(double value, Palette palette) {
  const auto level = [](double share) { return static_cast<std::uint8_t>(std::lround(255.0 * share)); };
  if (palette == Palette::grey) {
    const std::uint8_t grey = level(0.5 * (1.0 - value));
    return {grey, grey, grey};
  }
  const std::uint8_t pale = level(1.0 - std::abs(value));
  return value >= 0.0 ? Colour{255, pale, pale} : Colour{pale, pale, 255};
}

Colour tinted(Colour colour, Colour tint) {
  const auto mix = [](int a, int b) { return static_cast<std::uint8_t>(a * b / 255); };
  return {mix(colour.red, tint.red), mix(colour.green, tint.green), mix(colour.blue, tint.blue)};
}

class Painter {
 public:
  Painter(const Section& section, const Placement& placement, const PictureStyle& style)
      : section_(section), placement_(placement), style_(style), image_(placement.width, placement.height, white) {}

  Image paint() {
    for (std::size_t p = 0; p < section_.panels.size(); ++p) {
      image_.fill(placement_.panel_x[p], 0, placement_.panel_width, placement_.height, absent_colour());
      for (std::size_t i = 0; i < section_.traces.size(); ++i) background(p, i);
      if (style_.kind == PictureKind::density) continue;
      for (std::size_t i = 0; i < section_.traces.size(); ++i) wiggle(p, i);
    }
    return std::move(image_);
  }

 private:
  [[nodiscard]] float cell(std::size_t panel, std::size_t trace, std::int64_t row) const {
    return section_.panels[panel]
        .cells[trace * static_cast<std::size_t>(section_.rows) + static_cast<std::size_t>(row)];
  }

  [[nodiscard]] int left_of(std::size_t panel, std::size_t trace) const {
    return placement_.panel_x[panel] + placement_.trace_x[trace];
  }

  void background(std::size_t panel, std::size_t i) {
    const SectionTrace& trace = section_.traces[i];
    const bool is_dead = section_.panels[panel].is_dead[i] != 0;
    for (std::int64_t row = trace.first_row; row < trace.first_row + trace.row_count; ++row) {
      const float sample = cell(panel, i, row);
      Colour colour = white;
      if (!std::isfinite(sample)) {
        colour = nonfinite_colour(style_.palette);
      } else if (is_dead) {
        const bool has_samples = sample != 0.0F && style_.kind != PictureKind::wiggle;
        colour = has_samples ? tinted(density_colour(relative(sample, section_.clip), style_.palette), dead_colour())
                             : dead_colour();
      } else if (style_.kind != PictureKind::wiggle) {
        colour = density_colour(relative(sample, section_.clip), style_.palette);
      }
      image_.fill(left_of(panel, i), static_cast<int>(row) * placement_.row_px, placement_.trace_px, placement_.row_px,
                  colour);
    }
  }

  // Straight between the middles of rows. Zero is the middle of the trace, the clip one trace beside it.
  void wiggle(std::size_t panel, std::size_t i) {
    const SectionTrace& trace = section_.traces[i];
    const int zero = left_of(panel, i) + placement_.trace_px / 2;
    const auto excursion = [&](std::int64_t row) {
      const float sample = cell(panel, i, std::clamp(row, trace.first_row, trace.first_row + trace.row_count - 1));
      return std::isfinite(sample) ? relative(sample, section_.clip) * placement_.trace_px : 0.0;
    };
    const int left = placement_.panel_x[panel];
    const int right = left + placement_.panel_width - 1;
    const int px = placement_.row_px;
    int before = 0;
    for (int y = static_cast<int>(trace.first_row) * px; y < static_cast<int>(trace.first_row + trace.row_count) * px;
         ++y) {
      const double row = (y + 0.5) / px - 0.5;
      const double above = std::floor(row);
      const double share = row - above;
      const auto upper = static_cast<std::int64_t>(above);
      const bool is_bad = !std::isfinite(cell(panel, i, y / px));
      const auto dx = static_cast<int>(std::lround((1.0 - share) * excursion(upper) + share * excursion(upper + 1)));
      const int from = y == static_cast<int>(trace.first_row) * px ? dx : before;
      before = dx;
      if (is_bad) continue;
      const int first = std::max(left, zero + std::min({dx, from, dx > 0 ? 0 : dx}));
      const int last = std::min(right, zero + std::max(dx, from));
      if (first <= last) image_.fill(first, y, last - first + 1, 1, black);
    }
  }

  const Section& section_;
  const Placement& placement_;
  const PictureStyle& style_;
  Image image_;
};

}  // namespace

Colour absent_colour() { return {240, 236, 226}; }
Colour dead_colour() { return {222, 206, 140}; }
Colour nonfinite_colour(Palette palette) { return palette == Palette::grey ? Colour{230, 0, 0} : Colour{0, 160, 0}; }

std::int64_t max_traces_of(const PictureStyle& style, int panels) {
  const int min_px = style.kind == PictureKind::density ? 1 : min_wiggle_px;
  return std::max(1, panel_room(style, panels) / min_px);
}

Placement place_traces(const Section& section, const PictureStyle& style) {
  const auto panels = static_cast<int>(section.panels.size());
  const auto traces = static_cast<int>(section.traces.size());
  const int room = panel_room(style, panels);
  const auto gaps = static_cast<int>(std::ranges::count(section.traces, true, &SectionTrace::starts_gather));
  Placement placement;
  placement.trace_px = std::clamp(room / traces, 1, max_trace_px);
  const auto gap_room = [&] { return gaps == 0 ? max_gap_px : (room - traces * placement.trace_px) / gaps; };
  while (placement.trace_px > 1 && gap_room() < min_gap_px) --placement.trace_px;
  const int gap_px = std::clamp(gap_room(), 0, max_gap_px);
  placement.has_all_gaps = gap_px > 0;
  int x = 0;
  for (const SectionTrace& trace : section.traces) {
    if (trace.starts_gather) x += gap_px;
    placement.trace_x.push_back(x);
    x += placement.trace_px;
  }
  placement.panel_width = x;
  for (int p = 0; p < panels; ++p) placement.panel_x.push_back(p * (x + panel_gap_px));
  placement.width = placement.panel_x.back() + x;
  placement.row_px = std::clamp(style.height / static_cast<int>(section.rows), 1, max_row_px);
  placement.height = placement.row_px * static_cast<int>(section.rows);
  return placement;
}

Image draw_picture(const Section& section, const Placement& placement, const PictureStyle& style) {
  return Painter(section, placement, style).paint();
}

}  // namespace sill::flow::view
