#include "sill/view/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sill/base/units.hpp"

namespace sill::view {

std::string oddities_text(std::int64_t dead_traces, std::int64_t nonfinite_samples, const draw::ColourMap& colours) {
  std::string text;
  if (dead_traces > 0)
    text = fmt::format("{} dead trace{} (khaki)", format_count(dead_traces), dead_traces == 1 ? "" : "s");
  if (nonfinite_samples > 0)
    text += fmt::format("{}{} sample{} NaN or infinite ({})", text.empty() ? "" : "; ", format_count(nonfinite_samples),
                        nonfinite_samples == 1 ? " is" : "s are", colours.nonfinite());
  return text;
}

namespace {

using draw::Colour;

constexpr double min_wiggle_px = 4.0;
constexpr double max_excursion_em = 4.0;
constexpr double max_gap_em = 0.67;
constexpr double min_gap_px = 2.0;
constexpr double panel_gap_em = 1.3;
constexpr int max_strip_pixels = 1 << 22;  // of an image that SVG and PDF files contain in one piece

double panel_room(const draw::FrameLayout& layout, int panels) {
  return std::max(1.0, (layout.width - (panels - 1) * panel_gap_em * layout.em) / panels);
}

// Four neighbours along a line and their weights; the second is the nearest one before the position.
struct Neighbours {
  std::array<std::int64_t, 4> at{};
  std::array<float, 4> share{};
  std::int64_t nearest = 0;
};

// `place` is in units of cells, from the middle of cell 0. Only cells from `first` to `last` are interpolated.
Neighbours neighbours_of(double place, std::int64_t first, std::int64_t last, Interpolation interpolation) {
  Neighbours n;
  const double below = std::floor(place);
  const double x = place - below;
  const auto cell = static_cast<std::int64_t>(below);
  for (std::int64_t i = 0; i < 4; ++i) n.at[static_cast<std::size_t>(i)] = std::clamp(cell - 1 + i, first, last);
  n.nearest = std::clamp(cell + (x >= 0.5 ? 1 : 0), first, last);
  if (interpolation == Interpolation::cubic)
    n.share = {static_cast<float>(x * (-0.5 + x * (1.0 - 0.5 * x))), static_cast<float>(1.0 + x * x * (1.5 * x - 2.5)),
               static_cast<float>(x * (0.5 + x * (2.0 - 1.5 * x))), static_cast<float>(x * x * (0.5 * x - 0.5))};
  else
    n.share = {0.0F, static_cast<float>(1.0 - x), static_cast<float>(x), 0.0F};
  return n;
}

class Painter {
 public:
  Painter(const Section& section, const draw::FrameLayout& layout, const Placement& placement,
          const PictureStyle& style, draw::Canvas& canvas)
      : section_(section),
        layout_(layout),
        placement_(placement),
        style_(style),
        canvas_(canvas),
        lowest_(lowest_colored(section, style)) {}

  // Paints these rows of pixels of the area.
  void paint(RowRange shown) {
    place_columns();
    const std::int64_t strip = std::max<std::int64_t>(1, max_strip_pixels / layout_.width);
    for (std::int64_t y = shown.first; y < shown.first + shown.count; y += strip)
      paint_pixels({y, std::min(strip, shown.first + shown.count - y)});
    if (style_.kind == PictureKind::density) return;
    canvas_.set_colour(draw::black);
    canvas_.set_line_width(0.6 * layout_.line_px);
    for (std::size_t p = 0; p < section_.panels.size(); ++p)
      canvas_.within(layout_.x + placement_.panel_x[p], layout_.y, placement_.panel_width, layout_.height, [&] {
        for (std::size_t i = 0; i < section_.traces.size(); ++i) wiggle(p, i, shown);
      });
  }

 private:
  // The panel and traces that a column of pixels shows; without a panel it is empty.
  struct Column {
    int panel = -1;
    Neighbours traces;
  };

  void place_columns() {
    columns_.resize(static_cast<std::size_t>(layout_.width));
    const auto last = static_cast<std::int64_t>(section_.traces.size()) - 1;
    for (std::size_t p = 0; p < section_.panels.size(); ++p) {
      for (std::int64_t begin = 0; begin <= last;) {
        std::int64_t end = begin;
        while (end < last && !section_.traces[static_cast<std::size_t>(end) + 1].starts_gather) ++end;
        const double left = placement_.panel_x[p] + placement_.trace_x[static_cast<std::size_t>(begin)];
        const double right = left + static_cast<double>(end - begin + 1) * placement_.trace_px;
        for (auto x = static_cast<std::int64_t>(std::max(0.0, std::ceil(left - 0.5)));
             x < layout_.width && static_cast<double>(x) + 0.5 < right; ++x) {
          const double place =
              (static_cast<double>(x) + 0.5 - left) / placement_.trace_px - 0.5 + static_cast<double>(begin);
          columns_[static_cast<std::size_t>(x)] = {static_cast<int>(p),
                                                   neighbours_of(place, begin, end, style_.interpolation)};
        }
        begin = end + 1;
      }
    }
  }

  [[nodiscard]] float cell(std::size_t panel, std::size_t trace, std::int64_t row) const {
    const RowRange& held = section_.held;
    return section_.panels[panel]
        .cells[trace * static_cast<std::size_t>(held.count) + static_cast<std::size_t>(row - held.first)];
  }

  [[nodiscard]] bool has_row(std::int64_t trace, std::int64_t row) const {
    const SectionTrace& of = section_.traces[static_cast<std::size_t>(trace)];
    return row >= of.first_row && row < of.first_row + of.row_count;
  }

  [[nodiscard]] Colour colour_of(double sample) const {
    if (!(section_.clip > 0.0F)) return style_.colours.at(0.5);
    return style_.colours.at((sample - lowest_) / (static_cast<double>(section_.clip) - lowest_));
  }

  void paint_pixels(RowRange shown) {
    draw::Image image(layout_.width, static_cast<int>(shown.count));
    for (int y = 0; y < image.height; ++y) {
      const double place = (static_cast<double>(shown.first + y) + 0.5) / placement_.row_px - 0.5;
      const Neighbours rows = neighbours_of(place, 0, section_.rows - 1, style_.interpolation);
      for (int x = 0; x < image.width; ++x) {
        const Column& column = columns_[static_cast<std::size_t>(x)];
        image.set(x, y, column.panel < 0 ? draw::absent_colour : pixel(column, rows));
      }
    }
    canvas_.image(image, layout_.x, layout_.y + static_cast<double>(shown.first));
  }

  [[nodiscard]] Colour pixel(const Column& column, const Neighbours& rows) const {
    const auto panel = static_cast<std::size_t>(column.panel);
    const std::int64_t trace = column.traces.nearest;
    if (!has_row(trace, rows.nearest)) return draw::absent_colour;
    const float sample = cell(panel, static_cast<std::size_t>(trace), rows.nearest);
    if (!std::isfinite(sample)) return style_.colours.nonfinite_colour();
    const std::vector<char>& is_dead = section_.panels[panel].is_dead;
    if (is_dead[static_cast<std::size_t>(trace)] != 0) {
      return draw::dead_sample_colour(colour_of(sample), sample == 0.0F || style_.kind == PictureKind::wiggle);
    }
    if (style_.kind == PictureKind::wiggle) return draw::white;
    if (style_.interpolation == Interpolation::none) return colour_of(sample);
    float sum = 0.0F;
    for (std::size_t i = 0; i < 4; ++i) {
      if (column.traces.share[i] == 0.0F) continue;
      const std::int64_t other = column.traces.at[i];
      // A dead trace or a missing sample is not interpolated, and does not affect its neighbours.
      if (is_dead[static_cast<std::size_t>(other)] != 0) return colour_of(sample);
      for (std::size_t j = 0; j < 4; ++j) {
        const float share = column.traces.share[i] * rows.share[j];
        if (share == 0.0F) continue;
        if (!has_row(other, rows.at[j])) return colour_of(sample);
        sum += share * cell(panel, static_cast<std::size_t>(other), rows.at[j]);
      }
    }
    return colour_of(std::isfinite(sum) ? sum : sample);
  }

  // Draws straight lines between the middles of rows. Zero is at the middle of the trace, the clip one trace width from
  // it. A sample that is not finite interrupts the line.
  void wiggle(std::size_t panel, std::size_t i, RowRange shown) {
    const SectionTrace& trace = section_.traces[i];
    const double zero = layout_.x + placement_.panel_x[panel] + placement_.trace_x[i] + 0.5 * placement_.trace_px;
    const double reach = std::min(placement_.trace_px, max_excursion_em * layout_.em);
    const auto row_of = [&](std::int64_t y) {
      return static_cast<std::int64_t>(static_cast<double>(y) / placement_.row_px);
    };
    const std::int64_t first = std::max(trace.first_row, row_of(shown.first) - 2);
    const std::int64_t end = std::min(trace.first_row + trace.row_count, row_of(shown.first + shown.count - 1) + 3);
    const auto y_of = [&](double row) { return layout_.y + (row + 0.5) * placement_.row_px; };
    const auto excursion = [&](std::int64_t row) {
      const double relative =
          section_.clip > 0.0F ? static_cast<double>(cell(panel, i, row)) / static_cast<double>(section_.clip) : 0.0;
      return reach * std::clamp(relative, -1.0, 1.0);
    };
    for (std::int64_t begin = first; begin < end;) {
      if (!std::isfinite(cell(panel, i, begin))) {
        ++begin;
        continue;
      }
      std::int64_t stop = begin + 1;
      while (stop < end && std::isfinite(cell(panel, i, stop))) ++stop;
      for (std::int64_t row = begin; row < stop; ++row) {
        const double x = zero + excursion(row);
        row == begin ? canvas_.move_to(x, y_of(static_cast<double>(row)))
                     : canvas_.line_to(x, y_of(static_cast<double>(row)));
      }
      canvas_.stroke();
      // The positive area: down the line and back along zero.
      canvas_.move_to(zero, y_of(static_cast<double>(begin)));
      for (std::int64_t row = begin; row < stop; ++row) {
        const double dx = excursion(row);
        if (row > begin) {
          const double before = excursion(row - 1);
          if ((before > 0.0) != (dx > 0.0) && before != dx)
            canvas_.line_to(zero, y_of(static_cast<double>(row - 1) + before / (before - dx)));
        }
        canvas_.line_to(zero + std::max(0.0, dx), y_of(static_cast<double>(row)));
      }
      canvas_.line_to(zero, y_of(static_cast<double>(stop - 1)));
      canvas_.close();
      canvas_.fill();
      begin = stop;
    }
  }

  const Section& section_;
  const draw::FrameLayout& layout_;
  const Placement& placement_;
  const PictureStyle& style_;
  draw::Canvas& canvas_;
  double lowest_;  // sample of the lowest color
  std::vector<Column> columns_;
};

}  // namespace

draw::FrameLayout layout_of(const PictureStyle& style, int top_rows) {
  return {style.page, {.top_rows = top_rows, .has_colour_bar = style.kind != PictureKind::wiggle}};
}

std::int64_t max_traces_of(const PictureStyle& style, const draw::FrameLayout& layout, int panels) {
  const double min_px = style.kind == PictureKind::density ? 1.0 : min_wiggle_px;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(panel_room(layout, panels) / min_px));
}

std::string clip_text(double lowest, double clip) {
  return lowest < 0.0 ? fmt::format("clip \u00b1{:.6g}", clip) : fmt::format("clip 0 to {:.6g}", clip);
}

Placement place_traces(const Section& section, const draw::FrameLayout& layout) {
  const auto panels = static_cast<int>(section.panels.size());
  const auto traces = static_cast<double>(section.traces.size());
  const auto gaps = static_cast<double>(std::ranges::count(section.traces, true, &SectionTrace::starts_gather));
  Placement placement;
  placement.panel_width = panel_room(layout, panels);
  const double gap_room = gaps == 0.0 ? 0.0 : (placement.panel_width - traces) / gaps;
  placement.has_all_gaps = gaps == 0.0 || gap_room >= min_gap_px;
  const double gap_px = placement.has_all_gaps && gaps > 0.0
                            ? std::clamp(0.25 * gap_room, min_gap_px, std::max(min_gap_px, max_gap_em * layout.em))
                            : 0.0;
  placement.trace_px = (placement.panel_width - gaps * gap_px) / traces;
  double x = 0.0;
  for (const SectionTrace& trace : section.traces) {
    if (trace.starts_gather) x += gap_px;
    placement.trace_x.push_back(x);
    x += placement.trace_px;
  }
  for (int p = 0; p < panels; ++p) placement.panel_x.push_back(p * (placement.panel_width + panel_gap_em * layout.em));
  placement.row_px = static_cast<double>(layout.height) / static_cast<double>(section.rows);
  return placement;
}

void draw_picture(SectionReader& reader, const draw::FrameLayout& layout, const Placement& placement,
                  const PictureStyle& style, draw::Canvas& canvas) {
  const int first = std::max(0, canvas.first_y() - layout.y);
  const int end = std::min(layout.height, canvas.end_y() - layout.y);
  if (first >= end) return;
  // Splines and wiggles need neighbouring rows.
  const auto row_of = [&](int y) { return static_cast<std::int64_t>(y / placement.row_px); };
  const std::int64_t first_held = std::max<std::int64_t>(0, row_of(first) - 3);
  const std::int64_t end_held = std::min(reader.section().rows, row_of(end - 1) + 4);
  reader.hold({first_held, end_held - first_held});
  Painter(reader.section(), layout, placement, style, canvas).paint({first, end - first});
}

}  // namespace sill::view
