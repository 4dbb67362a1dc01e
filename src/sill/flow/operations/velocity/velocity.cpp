#include "sill/flow/operations/velocity/velocity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/operation/velocity_field.hpp"

namespace sill::flow {
namespace {

constexpr std::array<std::string_view, 4> velocity_kinds{"interval", "rms", "section", "smoothed"};
enum class VelocityTask : std::uint8_t { interval, rms, section, smoothed };

class Velocity final : public Operation {
 public:
  explicit Velocity(const Arguments& arguments)
      : task_(static_cast<VelocityTask>(arguments.choice("to", velocity_kinds))),
        location_name_(arguments.text("location")),
        smooth_s_(arguments.quantity("smooth", Dimension::time)) {
    (void)arguments.required_text("to");
    if (smooth_s_ && !(*smooth_s_ >= 0.0)) arguments.refuse("smooth", "the length of the mean is not below 0");
    if (task_ == VelocityTask::smoothed && !smooth_s_)
      arguments.refuse("to", "smooth= is missing", "give smooth=200ms");
    if (task_ == VelocityTask::section) {
      if (smooth_s_) arguments.refuse("smooth", "a section of a table is not smoothed", "write a second velocity step");
      field_.emplace(arguments, "of");
    } else {
      for (const char* key : {"of", "location"})
        if (arguments.has(key)) arguments.refuse(key, "velocities are read for a section alone");
    }
  }

  void bind(SurveyState& state) override {
    times_.emplace(state, "velocity");
    order_ = state.order;
    unit_m_ = length_unit_m(state);
    const double half =
        std::min(0.5 * smooth_s_.value_or(0.0) / times_->interval_s(), static_cast<double>(state.samples));
    half_ = static_cast<std::int64_t>(half + 1e-6);
    if (!field_) return;
    const std::string name = field_->bind(state, location_name_);
    if (!field_->depends_on_location() && !location_name_) return;
    location_ = state.words->word(name);
    segy::require_true_value(*location_, name);
  }

  [[nodiscard]] Access access() const override {
    Access access{.reads_samples = true,
                  .writes_samples = true,
                  .can_stop = task_ == VelocityTask::interval || task_ == VelocityTask::rms};
    access.read_number(times_->delay());
    if (location_) access.read_number({*location_});
    return access;
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const std::byte* const header = block.header(i).data();
      const double start_s = times_->start_s(header);
      if (task_ == VelocityTask::section) {
        fill(block.change(i), header, start_s, workspace);
        continue;
      }
      if (task_ != VelocityTask::smoothed) require_times(start_s, i);
      const std::span<float> trace = block.change(i);
      if (half_ > 0) smooth(trace, workspace);
      if (task_ == VelocityTask::interval) to_interval(trace, start_s);
      if (task_ == VelocityTask::rms) to_rms(trace, start_s);
    }
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const override {
    if (task_ != VelocityTask::interval) return {};
    return {
        {"samples whose rms velocities fall faster than any interval velocity can make them: that above was repeated",
         repeated_.load()}};
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t /*traces*/) const override { return 0; }

 private:
  static void require_times(double start_s, std::int64_t trace) {
    if (start_s >= 0.0) return;
    throw Error({.code = ErrorCode::input,
                 .problem = "the trace begins before time 0, where no velocity is a mean",
                 .where = {.item = trace + 1, .item_word = "trace"},
                 .action = "cut it off: 'window 0ms ...'"});
  }

  void fill(std::span<float> trace, const std::byte* header, double start_s, Workspace& workspace) const {
    workspace.a.resize(trace.size());
    workspace.b.resize(trace.size());
    const VelocityFunction function =
        field_->function_at(location_ ? segy::true_value(*location_, header, order_) : 0.0);
    function.sample(start_s, times_->interval_s(), workspace.a, workspace.b);
    std::ranges::transform(workspace.a, trace.begin(), [&](double v) { return static_cast<float>(v / unit_m_); });
  }

  // The mean of the samples that there are, as many before as behind.
  void smooth(std::span<float> trace, Workspace& workspace) const {
    const std::int64_t count = std::ssize(trace);
    workspace.a.assign(trace.size() + 1, 0.0);
    for (std::size_t s = 0; s < trace.size(); ++s) workspace.a[s + 1] = workspace.a[s] + static_cast<double>(trace[s]);
    for (std::int64_t s = 0; s < count; ++s) {
      const auto first = static_cast<std::size_t>(std::max<std::int64_t>(0, s - half_));
      const auto end = static_cast<std::size_t>(std::min(count, s + half_ + 1));
      trace[static_cast<std::size_t>(s)] =
          static_cast<float>((workspace.a[end] - workspace.a[first]) / static_cast<double>(end - first));
    }
  }

  // Down to the first sample there is one velocity.
  void to_interval(std::span<float> trace, double start_s) const {
    const double dt = times_->interval_s();
    std::int64_t repeated = 0;
    double before = static_cast<double>(trace[0]);  // rms of the sample above
    for (std::size_t s = 1; s < trace.size(); ++s) {
      const double time = start_s + static_cast<double>(s) * dt;
      const double rms = static_cast<double>(trace[s]);
      const double squared = (time * rms * rms - (time - dt) * before * before) / dt;
      before = rms;
      if (squared < 0.0) ++repeated;
      trace[s] = squared < 0.0 ? trace[s - 1] : static_cast<float>(std::sqrt(squared));
    }
    if (repeated > 0) repeated_.fetch_add(repeated, std::memory_order_relaxed);
  }

  void to_rms(std::span<float> trace, double start_s) const {
    const double dt = times_->interval_s();
    double sum = start_s * static_cast<double>(trace[0]) * static_cast<double>(trace[0]);
    for (std::size_t s = 1; s < trace.size(); ++s) {
      sum += dt * static_cast<double>(trace[s]) * static_cast<double>(trace[s]);
      trace[s] = static_cast<float>(std::sqrt(sum / (start_s + static_cast<double>(s) * dt)));
    }
  }

  VelocityTask task_;
  std::optional<std::string> location_name_;
  std::optional<double> smooth_s_;
  std::optional<VelocityField> field_;
  std::optional<TraceTimes> times_;
  std::optional<segy::WordRef> location_;
  ByteOrder order_ = ByteOrder::big;
  double unit_m_ = 1.0;
  std::int64_t half_ = 0;
  mutable std::atomic<std::int64_t> repeated_{0};
};

}  // namespace

const OperationType& velocity() {
  static const OperationType type{
      .name = "velocity",
      .summary = "Traces of velocities: rms to interval and back, smoothed, or from a table",
      .formula =
          "interval: v(i)^2 = (t(i) V(i)^2 - t(i-1) V(i-1)^2) / dt (Dix); rms: V(i)^2 t(i) = V(i-1)^2 t(i-1) + v(i)^2 "
          "dt; "
          "the first samples are equal",
      .example = "velocity interval smooth=200ms",
      .positionals = {"to"},
      .parameters =
          {{"to", "interval | rms | section | smoothed", "",
            "what is made: interval velocities of rms ones, rms of interval ones, a section of a table, or the "
            "same smoothed"},
           {"smooth", "TIME", "none", "length of a running mean, taken first"},
           {"of", "VELOCITY | @FILE", "none", "of a section: what nmo takes as velocity"},
           {"location", "WORD", "that of the table, or cdp", "of a section: the word of the table's locations"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Velocity>(arguments); }};
  return type;
}

}  // namespace sill::flow
