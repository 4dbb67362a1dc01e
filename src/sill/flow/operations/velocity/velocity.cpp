#include "sill/flow/operations/velocity/velocity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/flow/operation/dix.hpp"
#include "sill/flow/operation/sliding_sum.hpp"
#include "sill/flow/operation/table.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/operation/velocity_field.hpp"
#include "sill/flow/operation/velocity_table.hpp"

namespace sill::flow {
namespace {

constexpr std::array<std::string_view, 5> velocity_kinds{"interval", "rms", "section", "smoothed", "table"};
enum class VelocityTask : std::uint8_t { interval, rms, section, smoothed, table };

class Velocity final : public Operation {
 public:
  explicit Velocity(const Arguments& arguments)
      : task_(static_cast<VelocityTask>(arguments.choice("to", velocity_kinds))),
        smooth_s_(arguments.quantity("smooth", Dimension::time)) {
    (void)arguments.required_text("to");
    if (smooth_s_ && !(*smooth_s_ >= 0.0)) arguments.refuse("smooth", "the length of the mean must be 0 or more");
    arguments.require_with("to=smoothed", "smooth=");
    path_ = arguments.text("file").value_or("");
    every_s_ = arguments.quantity("every", Dimension::time).value_or(0.1);
    if (task_ == VelocityTask::table) {
      if (!path_.ends_with(".csv"))
        arguments.refuse("to", "the table needs a file", "give " + arguments.shown("file=FILE.csv"));
      if (!(every_s_ > 0.0)) arguments.refuse("every", "the time between lines of the table must be above 0");
      location_name_ = arguments.text("location").value_or("cdp");
    } else {
      for (const char* const key : {"file", "every"})
        if (arguments.has(key)) arguments.refuse(key, "this needs a table", "write 'velocity table file=FILE.csv'");
    }
    if (task_ == VelocityTask::section) {
      if (smooth_s_) arguments.refuse("smooth", "a section of a table is not smoothed", "write a second velocity step");
      field_.emplace(arguments, "of");
    } else {
      for (const char* key : {"of", "location"})
        if (arguments.has(key) && (task_ != VelocityTask::table || key == std::string_view("of")))
          arguments.refuse(key, "velocities are only read for a section");
    }
  }

  void bind(SurveyState& state) override {
    times_.emplace(state, "velocity");
    unit_m_ = length_unit_m(state);
    const double half =
        std::min(0.5 * smooth_s_.value_or(0.0) / times_->interval_s(), static_cast<double>(state.samples));
    half_ = static_cast<std::int64_t>(half + 1e-6);
    if (field_) field_->bind(state);
    if (task_ == VelocityTask::table) location_ = segy::TraceKey::parse(location_name_, *state.words);
  }

  [[nodiscard]] Access access() const override {
    Access access{.reads_samples = true,
                  .writes_samples = task_ != VelocityTask::table || half_ > 0,
                  .can_stop = task_ != VelocityTask::section && task_ != VelocityTask::smoothed,
                  .reports = task_ == VelocityTask::table};
    if (location_) access.read_key(*location_);
    access.read_number(times_->delay());
    if (field_) field_->add_to(access);
    return access;
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const std::byte* const header = block.header(i).data();
      const double start_s = times_->start_s(header);
      if (task_ == VelocityTask::section) {
        fill(block, i, start_s, workspace);
        continue;
      }
      if (task_ == VelocityTask::interval || task_ == VelocityTask::rms) require_times(start_s, i);
      if (task_ == VelocityTask::table && half_ == 0) {
        take(block, i, start_s);
        continue;
      }
      const std::span<float> trace = block.change(i);
      if (half_ > 0) smooth(trace, workspace);
      if (task_ == VelocityTask::interval)
        block.count(repeated_, i, make_interval(trace, start_s, times_->interval_s()));
      if (task_ == VelocityTask::rms) make_rms(trace, start_s, times_->interval_s());
      if (task_ == VelocityTask::table) take(block, i, start_s);
    }
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const override {
    if (task_ != VelocityTask::interval) return {};
    return {
        {"samples whose rms velocities fall faster than any interval velocity allows: the interval velocity above was "
         "repeated",
         repeated_.load()}};
  }

  [[nodiscard]] std::vector<std::string> report(const Resources& resources,
                                                std::span<const std::int64_t> /*counts*/) const override {
    if (task_ != VelocityTask::table) return {};
    const std::int64_t lines = table_.write(resources, location_name_, path_);
    return {fmt::format("{} velocities in {}", format_count(lines), path_)};
  }

 private:
  // Records the velocities at times that are `every` apart, and the velocity of the last sample.
  void take(TraceBlock& block, std::int64_t i, double start_s) const {
    if (block.origin(i).is_neighbour) return;
    const double location = location_->value(block.view(i)).as_double();
    const std::span<const float> trace = block.trace(i);
    const auto step = static_cast<std::size_t>(std::max(1.0, std::nearbyint(every_s_ / times_->interval_s())));
    const auto add = [&](std::size_t s) {
      const double velocity = static_cast<double>(trace[s]) * unit_m_;
      if (!(velocity >= slowest_velocity && velocity <= fastest_velocity))
        throw Error({.code = ErrorCode::input,
                     .problem = fmt::format("sample {} is {} m/s, which is not a velocity between {} and {} m/s", s + 1,
                                            velocity, slowest_velocity, fastest_velocity),
                     .where = {.item = i + 1, .item_word = "trace"},
                     .action = "process a survey of velocities, without its dead traces ('select'); those in km/s are "
                               "converted by 'gain scale=1000'"});
      table_.add({location, start_s + static_cast<double>(s) * times_->interval_s(), velocity});
    };
    for (std::size_t s = 0; s < trace.size(); s += step) add(s);
    if ((trace.size() - 1) % step != 0) add(trace.size() - 1);
  }

  static void require_times(double start_s, std::int64_t trace) {
    if (start_s >= 0.0) return;
    throw Error({.code = ErrorCode::input,
                 .problem = "the trace begins before time 0, where mean velocities are undefined",
                 .where = {.item = trace + 1, .item_word = "trace"},
                 .action = "omit these samples: 'window 0ms ...'"});
  }

  void fill(TraceBlock& block, std::int64_t i, double start_s, Workspace& workspace) const {
    const VelocityFunction function = field_->function_of(block, i);
    const std::span<float> trace = block.change(i);
    workspace.a.resize(trace.size());
    workspace.b.resize(trace.size());
    function.sample(start_s, times_->interval_s(), workspace.a, workspace.b);
    std::ranges::transform(workspace.a, trace.begin(), [&](double v) { return static_cast<float>(v / unit_m_); });
  }

  // Replaces each sample by the mean of the existing samples in a window centred on it.
  void smooth(std::span<float> trace, Workspace& workspace) const {
    const auto half = static_cast<std::size_t>(half_);
    workspace.a.assign(trace.size() + 2 * half, 0.0);
    std::ranges::copy(trace, workspace.a.begin() + half_);
    workspace.b.resize(trace.size());
    sliding_sum(workspace.a, 2 * half_ + 1, workspace.b, workspace.e);
    for (std::size_t s = 0; s < trace.size(); ++s) {
      const std::size_t count = std::min(trace.size(), s + half + 1) - (s - std::min(s, half));
      trace[s] = static_cast<float>(workspace.b[s] / static_cast<double>(count));
    }
  }

  VelocityTask task_;
  std::optional<double> smooth_s_;
  std::optional<VelocityField> field_;
  std::optional<TraceTimes> times_;
  std::string path_;  // of a table
  double every_s_ = 0.1;
  std::string location_name_;
  std::optional<segy::TraceKey> location_;
  mutable VelocityTable table_;
  double unit_m_ = 1.0;
  std::int64_t half_ = 0;
  mutable std::atomic<std::int64_t> repeated_{0};
};

}  // namespace

const OperationType& velocity() {
  static const OperationType type{
      .name = "velocity",
      .summary = "Makes traces of velocities: interval from rms or rms from interval, smoothed, or from a table",
      .formula =
          "interval: v(i)^2 = (t(i) V(i)^2 - t(i-1) V(i-1)^2) / dt (Dix); rms: V(i)^2 t(i) = V(i-1)^2 t(i-1) + v(i)^2 "
          "dt; "
          "the first samples are equal",
      .example = "velocity interval smooth=200ms",
      .positionals = {"to"},
      .parameters = {{"to", "interval | rms | section | smoothed | table", "",
                      "Output: interval velocities from rms ones; rms from interval ones; section: traces from the "
                      "velocities of=; smoothed: the traces, smoothed; table: a table of the traces, which pass "
                      "unchanged unless smooth= is given"},
                     {.name = "file",
                      .form = "FILE.csv",
                      .default_value = "none",
                      .text = "The table to write, with location, time and velocity, in the form that nmo reads",
                      .is_output = true},
                     {"every", "TIME", "100ms", "Time between the lines of the table"},
                     {"smooth", "TIME", "none", "Length of a running mean that is applied first"},
                     VelocityField::parameter("of", "none"),
                     VelocityField::location_parameter()},
      .make = [](const Arguments& arguments) { return std::make_unique<Velocity>(arguments); }};
  return type;
}

}  // namespace sill::flow
