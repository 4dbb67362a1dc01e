#include "sill/flow/operations/window/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/base/whole_number.hpp"
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
    // The number of samples of the first trace in the window: samples of another trace may have other times.
    const double start_s = state.start_us * 1e-6;
    const SampleSpan span = span_of(start_s);
    count_ = span.count;
    if (count_ < 1)
      Arguments(step_).refuse(
          "end",
          fmt::format("no sample is in the window; samples are {:.6g} s apart, the first trace begins at {:.6g} s",
                      times_->interval_s(), start_s),
          "make it longer");
    samples_ = state.samples;
    knows_first_ = state.knows_first;
    state.set_samples(count_);
    state.start_us = (start_s + static_cast<double>(span.first) * times_->interval_s()) * 1e6;
  }

  [[nodiscard]] Access access() const override {
    Access access{.writes_words = {true_value_bytes(times_->delay().word)},
                  .reads_samples = true,
                  .writes_samples = true,
                  .writes_shape = true,
                  .can_stop = true};
    access.read_number(times_->delay());
    return access;
  }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    block.resample(count_, [&](std::int64_t i, std::span<const float> in, std::span<float> out) {
      const auto [first, count] = span_of(start_s(block, i));
      if (count != count_)
        throw Error(
            {.code = ErrorCode::input,
             .problem = fmt::format(
                 "the window contains {} samples of this trace, which begins at {:.6g} s, but {} of the first trace",
                 count, start_s(block, i), count_),
             .where = {.item = i + 1, .item_word = "trace"},
             .action = knows_first_
                           ? "choose a window with the same number of samples in all traces"
                           : "the first trace is that before the preceding sorts and gathers: run these in a flow of "
                             "their own, or choose a window with the same number of samples in all traces"});
      if (!pads_ && (first < 0 || first + count_ > samples_))
        throw Error(
            {.code = ErrorCode::input,
             .problem = fmt::format("the window is not within the trace, which has samples from {:.6g} s to {:.6g} s",
                                    start_s(block, i),
                                    start_s(block, i) + static_cast<double>(samples_ - 1) * times_->interval_s()),
             .where = {.item = i + 1, .item_word = "trace"},
             .action = "choose another window, or fill with zeros with the flag pad"});
      const std::int64_t begin = std::clamp<std::int64_t>(-first, 0, count_);
      const std::int64_t end = std::clamp<std::int64_t>(samples_ - first, begin, count_);
      std::fill(out.begin(), out.begin() + begin, 0.0F);
      if (begin < end) std::copy(in.begin() + first + begin, in.begin() + first + end, out.begin() + begin);
      std::fill(out.begin() + end, out.end(), 0.0F);
    });
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* header) const override {
    const double start_s = times_->start_s(trace.header);
    times_->set_start(header, start_s + static_cast<double>(span_of(start_s).first) * times_->interval_s());
    return true;
  }

 private:
  static constexpr double tolerance = 1e-6;
  // In samples from the first one. Doubles beyond this are all integers, so positions are limited to it.
  static constexpr std::int64_t farthest = std::int64_t{1} << 52;

  struct SampleSpan {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };

  [[nodiscard]] double start_s(TraceBlock& block, std::int64_t i) const {
    return times_->start_s(block.header(i).data());
  }
  // Returns the samples in the window for a trace that starts at `start_s`, counted from its first sample, regardless
  // of whether the trace has them.
  [[nodiscard]] SampleSpan span_of(double start_s) const {
    const auto limited = [](double sample) { return integer_within(sample, -farthest, farthest); };
    const std::int64_t first = limited(std::ceil((begin_s_ - start_s) / times_->interval_s() - tolerance));
    const std::int64_t last = limited(std::floor((end_s_ - start_s) / times_->interval_s() + tolerance));
    return {first, last - first + 1};
  }

  Step step_;
  double begin_s_;
  double end_s_;
  bool pads_;
  std::optional<TraceTimes> times_;
  std::int64_t count_ = 0;
  std::int64_t samples_ = 0;
  bool knows_first_ = true;
};

}  // namespace

const OperationType& window() {
  static const OperationType type{
      .name = "window",
      .summary = "Selects the samples of a time window",
      .formula =
          "the samples with begin <= t <= end, within a millionth of an interval; the number of samples and the delay "
          "are set",
      .example = "window 100ms 500ms",
      .positionals = {"begin", "end"},
      .parameters = {{"begin", "TIME", "", "First time"},
                     {"end", "TIME", "", "Last time"},
                     {"pad", "", "", "Fill with zeros where a trace has no samples; otherwise this is an error", true}},
      .needs_start = true,
      .make = [](const Arguments& arguments) { return std::make_unique<Window>(arguments); }};
  return type;
}

}  // namespace sill::flow
