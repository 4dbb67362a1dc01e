#include "sill/draw/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>

namespace sill::draw {
namespace {

constexpr std::array<double, 3> mantissas{1.0, 2.0, 5.0};

bool stay_apart(std::span<const LabelPlace> places, std::span<const std::size_t> chosen, double gap) {
  for (std::size_t i = 1; i < chosen.size(); ++i) {
    const LabelPlace& a = places[chosen[i - 1]];
    const LabelPlace& b = places[chosen[i]];
    if (b.x - a.x < 0.5 * (a.width + b.width) + gap) return false;
  }
  return true;
}

std::vector<std::size_t> multiples_of(std::span<const LabelPlace> places, double step) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double multiple = places[i].value / step;
    const bool repeats = !chosen.empty() && places[chosen.back()].text == places[i].text;
    if (multiple == std::round(multiple) && !repeats) chosen.push_back(i);
  }
  return chosen;
}

std::vector<std::size_t> every_nth(std::span<const LabelPlace> places, double gap) {
  std::vector<std::size_t> chosen;
  for (std::size_t n = 1; n <= places.size(); ++n) {
    chosen.clear();
    for (std::size_t i = 0; i < places.size(); i += n) chosen.push_back(i);
    if (stay_apart(places, chosen, gap)) break;
  }
  return chosen;
}

struct Tick {
  double value = 0.0;
  std::string text;
};

// Returns the multiples of 1, 2 or 5 times a power of ten from `first` to `last`, at most `max_ticks` of them; `first`
// if there is none. All have the same number of decimals, and differ by at least `min_step`. Precondition: first <=
// last.
std::vector<Tick> round_ticks(double first, double last, int max_ticks, double min_step) {
  std::vector<Tick> ticks;
  const double span = last - first;
  if (!(span > 0.0)) return {{first, fmt::format("{:g}", first)}};
  for (int power = static_cast<int>(std::floor(std::log10(span))) - 3; ticks.empty(); ++power)
    for (const double mantissa : mantissas) {
      const double step = mantissa * std::pow(10.0, power);
      const double slack = 1e-9 * span;
      const double from = std::ceil((first - slack) / step);
      const double to = std::floor((last + slack) / step);
      if (step < min_step || to - from + 1 > std::max(1, max_ticks)) continue;
      for (double multiple = from; multiple <= to; ++multiple)
        ticks.push_back({multiple * step, fmt::format("{:.{}f}", multiple * step + 0.0, std::max(0, -power))});
      if (ticks.empty()) ticks.push_back({first, fmt::format("{:g}", first)});
      break;
    }
  return ticks;
}

// Returns the indices of positions whose labels are at least `gap` pixels apart: the positions with round values if
// there are at least two of them, otherwise every n-th position, for the smallest suitable n. Precondition: the
// positions are in ascending order of `x`.
std::vector<std::size_t> places_to_label(std::span<const LabelPlace> places, double gap) {
  if (places.empty()) return {};
  double largest = 1.0;
  for (const LabelPlace& place : places)
    if (std::isfinite(place.value)) largest = std::max(largest, std::abs(place.value));
  for (double power = 1.0; power <= largest; power *= 10.0)
    for (const double mantissa : mantissas) {
      const std::vector<std::size_t> chosen = multiples_of(places, mantissa * power);
      if (chosen.size() < 2) return every_nth(places, gap);
      if (stay_apart(places, chosen, gap)) return chosen;
    }
  return every_nth(places, gap);
}

// All sizes are in em.
constexpr double margin = 0.5;
constexpr double title_size = 1.15;
constexpr double note_size = 0.75;
constexpr double min_name_size = 0.7;  // of the words of rows
constexpr double row_height = 1.35;
constexpr double tick = 0.45;
constexpr double bar_numbers = 4.5;
constexpr double name = 1.5;  // of an axis, rotated
constexpr double bar_gap = 1.0;
constexpr double bar_width = 1.0;
constexpr double label_gap = 0.8;
constexpr double bar_label_gap = 1.4;    // between middles
constexpr double min_width_both = 50.0;  // of a page with numbers on both sides

constexpr double quarter_turn = std::numbers::pi / 2;

class FramePainter {
 public:
  FramePainter(Canvas& canvas, const TextMeasure& measure, const Frame& frame)
      : canvas_(canvas), measure_(measure), frame_(frame), layout_(frame.layout), em_(layout_.em) {}

  void paint() {
    canvas_.set_colour(black);
    canvas_.set_line_width(layout_.line_px);
    paint_title();
    paint_boxes();
    paint_side_axis(true);
    if (layout_.has_right_axis) paint_side_axis(false);
    paint_rows();
    if (layout_.parts.has_bottom_axis) paint_bottom_axis();
    if (frame_.bar) paint_bar(*frame_.bar);
    paint_notes();
  }

 private:
  [[nodiscard]] double right() const { return layout_.x + layout_.width; }
  [[nodiscard]] double bottom() const { return layout_.y + layout_.height; }

  // A number is never truncated; it is drawn in a smaller size instead.
  [[nodiscard]] double fitting_size(const std::string& text, double width) const {
    return em_ * std::min(1.0, width / std::max(1e-9, measure_.width(text, em_)));
  }

  void paint_title() {
    const double width = layout_.page.width - 2.0 * margin * em_;
    canvas_.text(0.5 * layout_.page.width, (margin + 0.5 * title_size) * em_, Anchor::middle,
                 measure_.shortened(frame_.title, title_size * em_, width), title_size * em_);
  }

  void paint_boxes() {
    const double half = 0.5 * layout_.line_px;
    if (frame_.boxes.empty())
      canvas_.outline(layout_.x - half, layout_.y - half, layout_.width + 2 * half, layout_.height + 2 * half);
    for (const FrameBox& box : frame_.boxes)
      canvas_.outline(box.x - half, layout_.y - half, box.width + 2 * half, layout_.height + 2 * half);
  }

  void paint_side_axis(bool is_left) {
    const double edge = is_left ? layout_.x : right();
    const double away = is_left ? -1.0 : 1.0;
    for (const FrameTick& each : frame_.left.ticks) {
      canvas_.line(edge, each.at, edge + away * tick * em_, each.at);
      canvas_.text(edge + away * (tick + 0.25) * em_, each.at, is_left ? Anchor::end : Anchor::begin, each.text,
                   fitting_size(each.text, (layout_.parts.numbers_em - 0.25) * em_));
    }
    canvas_.text(edge + away * (tick + layout_.parts.numbers_em + 0.5 * name) * em_, 0.5 * (layout_.y + bottom()),
                 Anchor::middle, measure_.shortened(frame_.left.name, em_, layout_.height), em_,
                 is_left ? -quarter_turn : quarter_turn);
  }

  void paint_rows() {
    double y = layout_.y - (tick + 0.15 + (static_cast<double>(frame_.rows.size()) - 0.5) * row_height) * em_;
    for (const FrameRow& row : frame_.rows) {
      // The name is left of the first label.
      const double name_end = layout_.x - 1.5 * em_;
      const double room = name_end - margin * em_;
      const double size = std::max(min_name_size * em_, fitting_size(row.name, 0.99 * room));
      canvas_.text(name_end, y, Anchor::end, measure_.shortened(row.name, size, room), size);
      std::vector<LabelPlace> places;
      for (LabelPlace place : row.places) {
        place.text = measure_.shortened(place.text, em_, row.max_width);
        place.width = measure_.width(place.text, em_);
        const bool is_clear = row.name.empty() || place.x - 0.5 * place.width > name_end + 0.4 * em_;
        if (is_clear && place.x + 0.5 * place.width < layout_.page.width - 0.2 * em_)
          places.push_back(std::move(place));
      }
      for (const std::size_t i : places_to_label(places, label_gap * em_)) {
        canvas_.text(places[i].x, y, Anchor::middle, places[i].text, em_);
        if (row.has_ticks) canvas_.line(places[i].x, layout_.y - tick * em_, places[i].x, layout_.y);
      }
      y += row_height * em_;
    }
  }

  void paint_bottom_axis() {
    std::vector<LabelPlace> places;
    for (const FrameTick& each : frame_.bottom.ticks) {
      canvas_.line(each.at, bottom(), each.at, bottom() + tick * em_);
      LabelPlace place{each.at, std::numeric_limits<double>::quiet_NaN(), each.text, measure_.width(each.text, em_)};
      if (each.at + 0.5 * place.width < layout_.page.width) places.push_back(std::move(place));
    }
    for (const std::size_t i : places_to_label(places, label_gap * em_))
      canvas_.text(places[i].x, bottom() + (tick + 0.7) * em_, Anchor::middle, places[i].text, em_);
    canvas_.text(0.5 * (layout_.x + right()), bottom() + (tick + 1.2 + 0.7) * em_, Anchor::middle,
                 measure_.shortened(frame_.bottom.name, em_, layout_.page.width - 2.0 * margin * em_), em_);
  }

  // Returns the text of an end of a colour bar: to a thousandth of the range, without zeros at the end.
  [[nodiscard]] static std::string end_text(double value, const ColourBar& bar) {
    const double range = 0.5 * bar.high - 0.5 * bar.low;
    const double largest = std::max(std::abs(bar.low), std::abs(bar.high));
    constexpr double smallest_fixed = 1e-5;
    constexpr double largest_fixed = 1e12;
    if (value == 0.0) return "0";
    if (value == std::round(value) && largest < largest_fixed) return fmt::format("{:.0f}", value);
    if (!(range > 0.0) || largest < smallest_fixed || largest >= largest_fixed) return fmt::format("{:.6g}", value);
    std::string text = fmt::format("{:.{}f}", value, std::max(0, 3 - static_cast<int>(std::floor(std::log10(range)))));
    if (text.find('.') != std::string::npos) text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text == "-0" ? "0" : text;
  }

  // Both ends are labelled, and round numbers where there is room; a single value in the middle.
  [[nodiscard]] std::vector<FrameTick> bar_ticks(const ColourBar& bar) const {
    // A single value has the middle colour.
    if (!(bar.high > bar.low)) return {{0.5 * (layout_.y + bottom()), end_text(bar.low, bar)}};
    std::vector<FrameTick> ticks =
        ticks_between(layout_, bar.low, bar.high, bottom(), layout_.y, true, bar.is_whole ? 1.0 : 0.0);
    std::erase_if(ticks, [&](const FrameTick& each) {
      return std::min(each.at - layout_.y, bottom() - each.at) < bar_label_gap * em_;
    });
    ticks.push_back({bottom(), end_text(bar.low, bar)});
    ticks.push_back({static_cast<double>(layout_.y), end_text(bar.high, bar)});
    return ticks;
  }

  void paint_bar(const ColourBar& bar) {
    const double left =
        right() + (layout_.has_right_axis ? tick + layout_.parts.numbers_em + name + bar_gap : tick + bar_gap) * em_;
    const double width = bar_width * em_;
    constexpr int steps = 128;
    const double step = static_cast<double>(layout_.height) / steps;
    for (int i = 0; i < steps; ++i) {
      canvas_.set_colour(bar.map.at(1.0 - (i + 0.5) / steps));
      canvas_.rectangle(left, layout_.y + i * step, width, std::min(1.5 * step, bottom() - (layout_.y + i * step)));
    }
    canvas_.set_colour(black);
    canvas_.outline(left, layout_.y, width, layout_.height);
    for (const FrameTick& each : bar_ticks(bar)) {
      canvas_.line(left + width, each.at, left + width + 0.6 * tick * em_, each.at);
      canvas_.text(left + width + (0.6 * tick + 0.2) * em_, each.at, Anchor::begin, each.text,
                   fitting_size(each.text, bar_numbers * em_));
    }
    canvas_.text(left + width + (0.6 * tick + 0.2 + bar_numbers + 0.5 * name) * em_, 0.5 * (layout_.y + bottom()),
                 Anchor::middle, measure_.shortened(bar.name, em_, layout_.height), em_, quarter_turn);
  }

  void paint_notes() {
    const double size = note_size * em_;
    const double width = layout_.page.width - 2.0 * margin * em_;
    std::vector<std::string> lines;
    for (const std::string& note : frame_.notes) {
      if (!lines.empty() && measure_.width(lines.back() + "; " + note, size) <= width) {
        lines.back() += "; " + note;
        continue;
      }
      if (lines.size() == 2) break;
      lines.push_back(measure_.shortened(note, size, width));
    }
    double y = layout_.page.height - (margin + 1.5 * 1.3 * note_size) * em_;
    canvas_.set_colour({70, 70, 70});
    for (const std::string& line : lines) {
      canvas_.text(margin * em_, y, Anchor::begin, line, size);
      y += 1.3 * size;
    }
  }

  Canvas& canvas_;
  const TextMeasure& measure_;
  const Frame& frame_;
  const FrameLayout& layout_;
  double em_;
};

}  // namespace

FrameLayout::FrameLayout(const PageSize& size, const FrameParts& of) : page(size), parts(of) {
  const double scale = page.dpi / 96.0;
  // Small pages have small texts.
  em = std::max(4.0, std::min({12.0 * scale, page.width / 36.0, page.height / 24.0}));
  line_px = std::max(0.5, em / 12.0);
  has_right_axis = page.width > min_width_both * em;
  const double side = margin + tick + parts.numbers_em + name;
  const double right_em = (has_right_axis ? tick + parts.numbers_em + name : tick + margin) +
                          (parts.has_colour_bar ? bar_gap + bar_width + 0.6 * tick + 0.2 + bar_numbers + name : 0.0) +
                          margin;
  const double top_em = margin + title_size + 0.5 + parts.top_rows * row_height + tick + 0.15;
  const double bottom_em = 2.0 * margin + 2.0 * 1.3 * note_size + (parts.has_bottom_axis ? tick + 2.6 : 0.3);
  x = static_cast<int>(std::ceil(side * em));
  y = static_cast<int>(std::ceil(top_em * em));
  width = std::max(8, page.width - x - static_cast<int>(std::ceil(right_em * em)));
  height = std::max(8, page.height - y - static_cast<int>(std::ceil(bottom_em * em)));
}

std::vector<FrameTick> ticks_between(const FrameLayout& layout, double first, double last, double first_at,
                                     double last_at, bool is_wide, double min_step) {
  const double apart = (is_wide ? 5.0 : 2.5) * layout.em;
  const auto max_ticks = static_cast<int>(std::max(2.0, std::abs(last_at - first_at) / apart));
  std::vector<FrameTick> ticks;
  const double span = last > first ? last - first : 1.0;
  for (Tick& each : round_ticks(first, last, max_ticks, min_step))
    ticks.push_back({first_at + (each.value - first) / span * (last_at - first_at), std::move(each.text)});
  return ticks;
}

void draw_frame(Canvas& canvas, const TextMeasure& measure, const Frame& frame) {
  FramePainter(canvas, measure, frame).paint();
}

}  // namespace sill::draw
