#include "sill/flow/operations/window/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {
namespace {

class Window final : public Operation {
 public:
  explicit Window(const Arguments& arguments)
      : step_(arguments.step()),
        begin_s_(arguments.required("begin", Dimension::time)),
        end_s_(arguments.required("end", Dimension::time)),
        pads_(arguments.flag("pad")) {
    if (end_s_ < begin_s_) arguments.refuse("end", "the window ends before it begins");
  }

  void bind(SurveyState& state) override {
    times_.emplace(state, "window");
    // As many samples as have room, wherever a trace begins: which of them they are is a matter of its delay.
    const double interval_s = times_->interval_s();
    count_ = static_cast<std::int64_t>(std::floor((end_s_ - begin_s_) / interval_s + tolerance)) + 1;
    constexpr std::int64_t max_samples = std::int64_t{1} << 30;
    if (count_ > max_samples)
      Arguments(step_).refuse("end", fmt::format("the window has {} samples", count_), "make it shorter");
    samples_ = state.samples;
    state.samples = count_;
  }

  [[nodiscard]] Access access() const override {
    return {.reads_words = {times_->needed_bytes()},
            .writes_words = {times_->needed_bytes()},
            .reads_samples = true,
            .writes_samples = true,
            .writes_shape = true,
            .can_stop = true};
  }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    block.resample(count_, [&](std::int64_t i, std::span<const float> in, std::span<float> out) {
      const std::int64_t first = first_sample(block.header(i).data());
      if (!pads_ && (first < 0 || first + count_ > samples_))
        throw Error(
            {.code = ErrorCode::input,
             .problem = fmt::format("the window is not within the trace, which has samples from {:.6g} s to {:.6g} s",
                                    start_s(block, i),
                                    start_s(block, i) + static_cast<double>(samples_ - 1) * times_->interval_s()),
             .where = {.item = i + 1, .item_word = "trace"},
             .action = "choose another window, or fill up with zeros by the flag pad"});
      const std::int64_t begin = std::clamp<std::int64_t>(-first, 0, count_);
      const std::int64_t end = std::clamp<std::int64_t>(samples_ - first, begin, count_);
      std::fill(out.begin(), out.begin() + begin, 0.0F);
      std::copy(in.begin() + first + begin, in.begin() + first + end, out.begin() + begin);
      std::fill(out.begin() + end, out.end(), 0.0F);
    });
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* header) const override {
    times_->set_start(
        header, times_->start_s(trace.header) + static_cast<double>(first_sample(trace.header)) * times_->interval_s());
    return true;
  }

 private:
  static constexpr double tolerance = 1e-6;

  [[nodiscard]] double start_s(TraceBlock& block, std::int64_t i) const {
    return times_->start_s(block.header(i).data());
  }
  // The first sample of the window, counted in the trace.
  [[nodiscard]] std::int64_t first_sample(const std::byte* header) const {
    return static_cast<std::int64_t>(std::ceil(times_->sample_at(begin_s_, header) - tolerance));
  }

  Step step_;
  double begin_s_;
  double end_s_;
  bool pads_;
  std::optional<TraceTimes> times_;
  std::int64_t count_ = 0;
  std::int64_t samples_ = 0;
};

}  // namespace

const OperationType& window() {
  static const OperationType type{
      .name = "window",
      .summary = "Takes the samples of a window of time",
      .formula =
          "the samples with begin <= t <= end, to a millionth of an interval; the number of samples and the delay "
          "are set",
      .example = "window 100ms 500ms",
      .positionals = {"begin", "end"},
      .parameters = {{"begin", "TIME", "", "the first time"},
                     {"end", "TIME", "", "the last time"},
                     {"pad", "", "", "zeros where a trace has no samples, which is an error without it", true}},
      .make = [](const Arguments& arguments) { return std::make_unique<Window>(arguments); }};
  return type;
}

}  // namespace sill::flow
