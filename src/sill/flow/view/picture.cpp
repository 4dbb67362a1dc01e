#include "sill/flow/view/picture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
  Painter(const Section& section, const Placement& placement, const PictureStyle& style, Band& band, int x, int y)
      : section_(section), placement_(placement), style_(style), band_(band), x_(x), y_(y) {}

  // `shown`: rows of pixels of the picture.
  void paint(RowRange shown) {
    shown_ = shown;
    for (std::size_t p = 0; p < section_.panels.size(); ++p) {
      fill(placement_.panel_x[p], 0, placement_.panel_width, placement_.height, absent_colour());
      for (std::size_t i = 0; i < section_.traces.size(); ++i) background(p, i);
      if (style_.kind == PictureKind::density) continue;
      for (std::size_t i = 0; i < section_.traces.size(); ++i) wiggle(p, i);
    }
  }

 private:
  void fill(int x, int y, int columns, int rows, Colour colour) { band_.fill(x_ + x, y_ + y, columns, rows, colour); }

  [[nodiscard]] float cell(std::size_t panel, std::size_t trace, std::int64_t row) const {
    const RowRange& held = section_.held;
    return section_.panels[panel]
        .cells[trace * static_cast<std::size_t>(held.count) + static_cast<std::size_t>(row - held.first)];
  }

  // The shown rows of pixels that a trace has.
  [[nodiscard]] RowRange shown_of(const SectionTrace& trace) const {
    const std::int64_t first = std::max(shown_.first, trace.first_row * placement_.row_px);
    const std::int64_t end =
        std::min(shown_.first + shown_.count, (trace.first_row + trace.row_count) * placement_.row_px);
    return {first, std::max<std::int64_t>(0, end - first)};
  }

  [[nodiscard]] int left_of(std::size_t panel, std::size_t trace) const {
    return placement_.panel_x[panel] + placement_.trace_x[trace];
  }

  void background(std::size_t panel, std::size_t i) {
    const SectionTrace& trace = section_.traces[i];
    const bool is_dead = section_.panels[panel].is_dead[i] != 0;
    const int px = placement_.row_px;
    const RowRange shown = shown_of(trace);
    for (std::int64_t row = shown.first / px; row * px < shown.first + shown.count; ++row) {
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
      fill(left_of(panel, i), static_cast<int>(row) * px, placement_.trace_px, px, colour);
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
    const auto excursion_at = [&](std::int64_t y) {
      const double row = (static_cast<double>(y) + 0.5) / px - 0.5;
      const double above = std::floor(row);
      const double share = row - above;
      const auto upper = static_cast<std::int64_t>(above);
      return static_cast<int>(std::lround((1.0 - share) * excursion(upper) + share * excursion(upper + 1)));
    };
    const RowRange shown = shown_of(trace);
    int from = excursion_at(std::max(shown.first - 1, trace.first_row * px));
    for (std::int64_t y = shown.first; y < shown.first + shown.count; ++y) {
      const int dx = excursion_at(y);
      const int before = std::exchange(from, dx);
      if (!std::isfinite(cell(panel, i, y / px))) continue;
      const int first = std::max(left, zero + std::min({dx, before, dx > 0 ? 0 : dx}));
      const int last = std::min(right, zero + std::max(dx, before));
      if (first <= last) fill(first, static_cast<int>(y), last - first + 1, 1, black);
    }
  }

  const Section& section_;
  const Placement& placement_;
  const PictureStyle& style_;
  Band& band_;
  int x_;
  int y_;
  RowRange shown_;
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

void draw_picture(SectionReader& reader, const Placement& placement, const PictureStyle& style, Band& band, int x,
                  int y) {
  const int first = std::max(0, band.first_row - y);
  const int end = std::min(placement.height, band.first_row + band.rows - y);
  if (first >= end) return;
  // Wiggles run from row to row: each needs the two before it and the one below.
  const int px = placement.row_px;
  const std::int64_t first_held = std::max(0, first / px - 2);
  const std::int64_t end_held = std::min<std::int64_t>(reader.section().rows, (end - 1) / px + 2);
  reader.hold({first_held, end_held - first_held});
  Painter(reader.section(), placement, style, band, x, y).paint({first, end - first});
}

}  // namespace sill::flow::view
