#include "sill/flow/operations/bin/bin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>

#include "sill/comm/exchange.hpp"
#include "sill/flow/operation/table.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/formats/segy/expression/assignment.hpp"
#include "sill/formats/segy/words/true_value_writing.hpp"

namespace sill::flow {
namespace {

struct Point {
  double x = 0.0;
  double y = 0.0;
};

// The positions of traces, and the words that are set to the centres of their bins.
class Positions {
 public:
  explicit Positions(const Arguments& arguments) {
    static constexpr std::array<std::string_view, 2> choices{"midpoint", "cdp"};
    is_midpoint_ = arguments.choice("at", choices) == 0;
  }
  static constexpr Parameter parameter{"at", "midpoint | cdp", "midpoint",
                                       "Position of a trace: halfway between source and receiver, or cdpx, cdpy"};

  void bind(const SurveyState& state) {
    order_ = state.order;
    x_ = segy::TraceKey::parse(is_midpoint_ ? "midpoint_x" : "true(cdpx)", *state.words);
    y_ = segy::TraceKey::parse(is_midpoint_ ? "midpoint_y" : "true(cdpy)", *state.words);
    centre_x_ = state.words->word("cdpx");
    centre_y_ = state.words->word("cdpy");
    for (const segy::WordRef* const word : {&*centre_x_, &*centre_y_}) segy::require_true_value(*word, word->name);
    if (state.words->find("counit") != nullptr) unit_ = state.words->word("counit");
  }

  void add_to(Access& access) const {
    access.can_stop = true;
    if (unit_) access.reads_words.push_back(segy::bytes_of(*unit_));
    for (const segy::TraceKey* const key : {&*x_, &*y_}) access.reads_words.push_back(key->needed_bytes());
    for (const segy::WordRef* const word : {&*centre_x_, &*centre_y_}) access.write_true_value(*word);
  }

  [[nodiscard]] Point of(const segy::HeaderView& trace) const {
    // SEG-Y rev 1, bytes 89-90: values of 2 and more mean angles.
    if (unit_ && segy::read_word(trace.header, unit_->byte, unit_->type, order_).as_double() > 1.0)
      throw Error(
          {.code = ErrorCode::input,
           .problem = "the coordinates of the trace are angles (bytes 89-90), and bins have lengths",
           .action = "project the coordinates with 'sill edit' and a table, or set counit=1 if they are lengths"});
    const Point point{x_->value(trace).as_double(), y_->value(trace).as_double()};
    if (std::isfinite(point.x) && std::isfinite(point.y)) return point;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("the position of the trace is not finite: ({:g}, {:g})", point.x, point.y),
                 .action = "set its coordinates with 'sill edit', or omit the trace with 'select'"});
  }

  void set_centre(std::byte* header, Point centre) const {
    segy::write_true_value(*centre_x_, header, order_, centre.x);
    segy::write_true_value(*centre_y_, header, order_, centre.y);
  }

 private:
  bool is_midpoint_ = true;
  ByteOrder order_ = ByteOrder::big;
  std::optional<segy::TraceKey> x_;
  std::optional<segy::TraceKey> y_;
  std::optional<segy::WordRef> unit_;
  std::optional<segy::WordRef> centre_x_;
  std::optional<segy::WordRef> centre_y_;
};

// The bin numbers along one direction.
struct Numbers {
  double size_m = 0.0;
  std::int64_t first = 1;
  std::int64_t step = 1;
  double size = 0.0;  // in the unit of the survey
  std::optional<segy::WordRef> word = {};

  void bind(const SurveyState& state, std::string_view name) {
    size = size_m / length_unit_m(state);
    word = state.words->word(name);
  }

  // Sets the word, and returns the position of the bin's centre along the direction.
  double set(std::byte* header, ByteOrder order, double along) const {
    const double bin = std::floor(along / size + 0.5);
    constexpr double max = 1e9;
    if (!(std::abs(bin) <= max))
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("the trace is {:g} bins from the origin", bin),
                   .action = "give an origin near the survey, in the unit of its coordinates, or repair the trace's "
                             "coordinates"});
    const std::int64_t number = first + step * static_cast<std::int64_t>(bin);
    segy::write_word(header, word->byte, word->type, order, {.number = number}, word->name);
    return bin * size;
  }
};

// Returns the values for one or both directions.
std::vector<double> values_of(const Arguments& arguments, std::string_view key, Dimension dimension, std::size_t count,
                              double otherwise) {
  if (!arguments.has(key)) return std::vector<double>(count, otherwise);
  std::vector<double> values = arguments.quantities(key, dimension);
  if (values.size() != count) arguments.refuse(key, fmt::format("{} values are needed", count));
  return values;
}

std::vector<Numbers> numbers_of(const Arguments& arguments, std::size_t count) {
  (void)arguments.required_text("size");
  const std::vector<double> sizes = values_of(arguments, "size", Dimension::length, count, 0.0);
  const std::vector<double> first = values_of(arguments, "first", Dimension::number, count, 1.0);
  const std::vector<double> step = values_of(arguments, "step", Dimension::number, count, 1.0);
  std::vector<Numbers> numbers(count);
  const auto whole = [&](std::string_view key, double value) {
    constexpr double max = 2147483647.0;
    if (value != std::floor(value) || std::abs(value) > max) arguments.refuse(key, "bin numbers must be integers");
    return static_cast<std::int64_t>(value);
  };
  for (std::size_t k = 0; k < count; ++k) {
    if (!(sizes[k] > 0.0)) arguments.refuse("size", "a bin must be longer than 0");
    numbers[k] = {.size_m = sizes[k], .first = whole("first", first[k]), .step = whole("step", step[k])};
    if (numbers[k].step == 0) arguments.refuse("step", "the step of bin numbers must not be 0");
  }
  return numbers;
}

// Returns a unit vector, exact at multiples of 90 degrees: traces on one straight line belong to one line of bins.
Point direction_of(double azimuth_degrees) {
  const double quarters = std::nearbyint(azimuth_degrees / 90.0);
  const double angle = (azimuth_degrees - 90.0 * quarters) * std::numbers::pi / 180.0;
  const Point near_north{std::sin(angle), std::cos(angle)};
  switch (static_cast<int>(std::fmod(quarters, 4.0) + 4.0) % 4) {
    case 1: return {near_north.y, -near_north.x};
    case 2: return {-near_north.x, -near_north.y};
    case 3: return {-near_north.y, near_north.x};
    default: return near_north;
  }
}

class Bin final : public Operation {
 public:
  explicit Bin(const Arguments& arguments) : positions_(arguments), numbers_(numbers_of(arguments, 2)) {
    static constexpr std::array<std::string_view, 2> hands{"right", "left"};
    (void)arguments.required_text("origin");
    const std::vector<double> origin = values_of(arguments, "origin", Dimension::number, 2, 0.0);
    origin_ = {origin[0], origin[1]};
    along_ = direction_of(arguments.required("azimuth", Dimension::angle));
    const double side = arguments.choice("hand", hands) == 0 ? 1.0 : -1.0;
    across_ = {side * along_.y, -side * along_.x};
  }

  void bind(SurveyState& state) override {
    positions_.bind(state);
    numbers_[0].bind(state, "iline");
    numbers_[1].bind(state, "xline");
    order_ = state.order;
    state.sort_keys.clear();
  }

  [[nodiscard]] Access access() const override {
    Access access;
    positions_.add_to(access);
    for (const Numbers& numbers : numbers_) access.writes_words.push_back(segy::bytes_of(*numbers.word));
    return access;
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* header) const override {
    const Point at = positions_.of(trace);
    const Point from{at.x - origin_.x, at.y - origin_.y};
    const double v = numbers_[0].set(header, order_, from.x * across_.x + from.y * across_.y);
    const double u = numbers_[1].set(header, order_, from.x * along_.x + from.y * along_.y);
    positions_.set_centre(header, {origin_.x + u * along_.x + v * across_.x, origin_.y + u * along_.y + v * across_.y});
    return true;
  }

 private:
  Positions positions_;
  std::vector<Numbers> numbers_;  // of inlines, of crosslines
  Point origin_;
  Point along_;   // a unit vector in the direction of ascending crossline numbers
  Point across_;  // a unit vector in the direction of ascending inline numbers
  ByteOrder order_ = ByteOrder::big;
};

class CmpBin final : public Operation {
 public:
  explicit CmpBin(const Arguments& arguments)
      : positions_(arguments),
        numbers_(numbers_of(arguments, 1).front()),
        table_(arguments.table("line")),
        within_m_(arguments.quantity("within", Dimension::length)) {
    if (table_) return;
    const std::vector<double> values = arguments.quantities("line", Dimension::number);
    if (values.size() < 4 || values.size() % 2 != 0)
      arguments.refuse("line", "a line needs two points",
                       fmt::format("write {}, or {}, a table of x,y", arguments.shown("line=X1,Y1,X2,Y2"),
                                   arguments.shown("line=@FILE")));
    for (std::size_t k = 0; k < values.size(); k += 2)
      if (!add({values[k], values[k + 1]})) arguments.refuse("line", "two consecutive points are the same");
    if (within_m_ && !(*within_m_ > 0.0)) arguments.refuse("within", "the largest distance must be above 0");
  }

  void bind(SurveyState& state) override {
    positions_.bind(state);
    numbers_.bind(state, "cdp");
    order_ = state.order;
    unit_m_ = length_unit_m(state);
    state.sort_keys.clear();
    if (table_) read_line(state);
  }

  [[nodiscard]] Access access() const override {
    Access access{.writes_membership = within_m_.has_value(), .reports = true};
    positions_.add_to(access);
    access.writes_words.push_back(segy::bytes_of(*numbers_.word));
    return access;
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* header) const override {
    const Nearest found = nearest(positions_.of(trace));
    if (within_m_ && found.distance * unit_m_ > *within_m_) return false;
    double max = farthest_.load(std::memory_order_relaxed);
    while (found.distance > max && !farthest_.compare_exchange_weak(max, found.distance)) {
    }
    positions_.set_centre(header, at(numbers_.set(header, order_, found.along)));
    return true;
  }

  [[nodiscard]] std::vector<std::string> report(const Resources& resources,
                                                std::span<const std::int64_t> /*counts*/) const override {
    const double max = std::ranges::max(all_gather(resources.comm, farthest_.load()));
    return {fmt::format("the trace farthest from the line is {:.6g} away from it", max)};
  }

 private:
  struct Nearest {
    double along = 0.0;
    double distance = std::numeric_limits<double>::infinity();
  };

  // Adds a point. Returns false if it equals the previous point.
  bool add(Point point) {
    const double before = points_.empty() ? 0.0 : std::hypot(point.x - points_.back().x, point.y - points_.back().y);
    if (!points_.empty() && !(before > 0.0)) return false;
    starts_.push_back(points_.empty() ? 0.0 : starts_.back() + before);
    points_.push_back(point);
    return true;
  }

  void read_line(const SurveyState& state) {
    const std::array<TableColumn, 2> columns{{{.name = "x", .dimension = Dimension::number, .others = {"cdpx"}},
                                              {.name = "y", .dimension = Dimension::number, .others = {"cdpy"}}}};
    read_table(*table_, columns, state, [&](std::int64_t line, std::span<const double> values) {
      if (!add({values[0], values[1]}))
        refuse_table(table_->path, line, "the point equals the previous point", "give different points");
    });
    if (points_.size() < 2)
      refuse_table(table_->path, std::nullopt, "a line needs two points", "give one per line, as x,y");
  }

  // Returns the point at a distance along the line from its beginning. The line is extended straight at both ends.
  [[nodiscard]] Point at(double along) const {
    std::size_t s = 0;
    while (s + 2 < points_.size() && along >= starts_[s + 1]) ++s;
    const double share = (along - starts_[s]) / (starts_[s + 1] - starts_[s]);
    return {points_[s].x + share * (points_[s + 1].x - points_[s].x),
            points_[s].y + share * (points_[s + 1].y - points_[s].y)};
  }

  [[nodiscard]] Nearest nearest(Point point) const {
    Nearest best;
    for (std::size_t s = 0; s + 1 < points_.size(); ++s) {
      const double length = starts_[s + 1] - starts_[s];
      const Point along{(points_[s + 1].x - points_[s].x) / length, (points_[s + 1].y - points_[s].y) / length};
      double u = (point.x - points_[s].x) * along.x + (point.y - points_[s].y) * along.y;
      if (s > 0) u = std::max(u, 0.0);
      if (s + 2 < points_.size()) u = std::min(u, length);
      const double distance = std::hypot(point.x - points_[s].x - u * along.x, point.y - points_[s].y - u * along.y);
      if (distance < best.distance) best = {starts_[s] + u, distance};
    }
    return best;
  }

  Positions positions_;
  Numbers numbers_;
  std::optional<TableFile> table_;
  std::optional<double> within_m_;
  ByteOrder order_ = ByteOrder::big;
  double unit_m_ = 1.0;
  std::vector<Point> points_;
  std::vector<double> starts_;  // distances along the line to the points
  mutable std::atomic<double> farthest_{0.0};
};

}  // namespace

const OperationType& bin() {
  static const OperationType type{
      .name = "bin",
      .summary = "Assigns traces to the bins of a grid: inline, crossline and position of the bin",
      .formula =
          "iline = first + step floor(v / A + 1/2), xline = first + step floor(u / B + 1/2), u the distance from the "
          "origin along the azimuth and v the distance across it, size=A,B; cdpx and cdpy: the centre of the bin",
      .example = "bin origin=500000,6000000 azimuth=30deg size=25m,12.5m first=1000,2000",
      .parameters = {{"origin", "X,Y", "", "Centre of the bin whose numbers are first"},
                     {"azimuth", "ANGLE", "", "Direction in which crossline numbers ascend, clockwise from +y"},
                     {"size", "LENGTH,LENGTH", "", "Distance between inlines, and between crosslines"},
                     {"first", "N,N", "1,1", "Inline and crossline number of the origin"},
                     {"step", "N,N", "1,1", "Increment of the numbers"},
                     {"hand", "right | left", "right", "Side of the azimuth on which inline numbers ascend"},
                     Positions::parameter},
      .make = [](const Arguments& arguments) { return std::make_unique<Bin>(arguments); }};
  return type;
}

const OperationType& cmpbin() {
  static const OperationType type{
      .name = "cmpbin",
      .summary = "Numbers the common midpoints along a line, straight or crooked",
      .formula =
          "cdp = first + step floor(u / B + 1/2), u the length along the line up to its point nearest to the trace, "
          "size=B; cdpx and cdpy: the centre of the bin on the line",
      .example = "cmpbin line=451000,6210000,453000,6212000 size=12.5m within=100m",
      .parameters = {{"line", "X,Y,X,Y... | @FILE", "",
                      "Points of the line, which continues straight at its ends; or a table of x,y"},
                     {"size", "LENGTH", "", "Size of a bin along the line"},
                     {"first", "N", "1", "Number at the first point"},
                     {"step", "N", "1", "Increment of the numbers"},
                     {"within", "LENGTH", "none", "Remove traces that are farther from the line"},
                     Positions::parameter},
      .make = [](const Arguments& arguments) { return std::make_unique<CmpBin>(arguments); }};
  return type;
}

}  // namespace sill::flow
