#include "sill/flow/operations/mute/mute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sill/base/error.hpp"
#include "sill/base/whole_number.hpp"
#include "sill/flow/operation/ramp.hpp"
#include "sill/flow/operation/table.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/formats/segy/expression/assignment.hpp"
#include "sill/formats/segy/words/true_value_writing.hpp"

namespace sill::flow {
namespace {

constexpr std::array<std::string_view, 2> edges{"top", "bottom"};

std::array<TableColumn, 2> columns_of_table(const segy::HeaderMap& words) {
  return {TableColumn{"offset", Dimension::length, words.find("offset")->names},
          TableColumn{"time", Dimension::time, {"t", "mute", "mute time"}}};
}

class Mute final : public Operation {
 public:
  explicit Mute(const Arguments& arguments)
      : is_bottom_(arguments.choice("edge", edges) == 1),
        at_s_(arguments.quantity("at", Dimension::time)),
        velocity_(arguments.quantity("velocity", Dimension::velocity)),
        word_name_(arguments.text("word")),
        file_(arguments.table("table")),
        ramp_s_(arguments.quantity("ramp", Dimension::time).value_or(0.0)),
        shape_(ramp_shape(arguments.choice("shape", ramp_shapes))) {
    if (!arguments.has("edge")) arguments.refuse("edge", "top or bottom is missing", "write 'mute top at=300ms'");
    if (ramp_s_ < 0.0) arguments.refuse("ramp", "the ramp is negative");
    if (velocity_ && *velocity_ <= 0.0) arguments.refuse("velocity", "the velocity is not positive");
    if (arguments.has("table") && !file_)
      arguments.refuse("table", "a table must be a file", "write " + arguments.shown("table=@FILE"));
    const int ways = (file_ ? 1 : 0) + (word_name_ ? 1 : 0) + (velocity_ ? 1 : 0);
    if (ways > 1 || (ways == 0 && !at_s_))
      arguments.refuse("edge", "one time is needed", "give either at, table, word, or velocity (with or without at)");
    if (at_s_ && (file_ || word_name_))
      arguments.refuse(
          "at", fmt::format("{} can only be combined with {}", arguments.shown("at="), arguments.shown("velocity=")));
  }

  void bind(SurveyState& state) override {
    times_.emplace(state, "mute");
    order_ = state.order;
    if (file_ || velocity_) offset_.emplace().bind(state);
    if (file_) table_ = Table::read(*file_, columns_of_table(*state.words), state);
    if (word_name_) {
      word_ = state.words->word(*word_name_);
      segy::require_true_value(*word_, *word_name_);
    }
    const char* const name = is_bottom_ ? "mute" : "muts";
    if (state.words->find(name) != nullptr) mute_word_ = state.words->word(name);
    samples_ = state.samples;
  }

  [[nodiscard]] Access access() const override {
    Access access{.reads_samples = true, .writes_samples = true};
    access.read_number(times_->delay());
    if (offset_) access.read_number(offset_->number());
    if (word_) access.read_number({*word_, longest_time_ms});
    if (mute_word_) {
      access.reads_words.push_back(true_value_bytes(*mute_word_));
      access.writes_words.push_back(segy::bytes_of(*mute_word_));
    }
    return access;
  }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const std::byte* const header = block.header(i).data();
      const double at = times_->sample_at(mute_s(header), header);
      const double ramp = ramp_s_ / times_->interval_s();
      // A millionth of a sample is ignored.
      constexpr double tolerance = 1e-6;
      // The first sample that is not zeroed (for a bottom mute: that is zeroed or weighted), and the first that is
      // unchanged.
      const double begin = is_bottom_ ? at - ramp : at;
      const double end = is_bottom_ ? at : at + ramp;
      const std::int64_t first = integer_within(std::ceil(begin - tolerance), 0, samples_);
      const std::int64_t behind = integer_within(std::floor(end + tolerance) + 1.0, 0, samples_);
      if (is_bottom_ ? first >= samples_ : behind <= 0) continue;
      const std::span<float> trace = block.change(i);
      if (!is_bottom_) std::fill_n(trace.begin(), first, 0.0F);
      for (std::int64_t s = first; s < behind; ++s) {
        const double distance = is_bottom_ ? at - static_cast<double>(s) : static_cast<double>(s) - at;
        float& x = trace[static_cast<std::size_t>(s)];
        x = static_cast<float>(x * ramp_weight(shape_, distance + (ramp > 0.0 ? 0.0 : tolerance), ramp));
      }
      if (is_bottom_) std::fill(trace.begin() + behind, trace.end(), 0.0F);
    }
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* header) const override {
    if (!mute_word_) return true;
    segy::write_true_value(*mute_word_, header, order_, mute_s(trace.header) * ms_per_s);
    return true;
  }

 private:
  [[nodiscard]] double mute_s(const std::byte* header) const {
    if (table_) return table_->at(offset_->metres(header));
    if (velocity_) return offset_->metres(header) / *velocity_ + at_s_.value_or(0.0);
    if (word_) return segy::true_value(*word_, header, order_) / ms_per_s;
    return *at_s_;
  }

  bool is_bottom_;
  std::optional<double> at_s_;
  std::optional<double> velocity_;
  std::optional<std::string> word_name_;
  std::optional<TableFile> file_;
  std::optional<Table> table_;
  double ramp_s_;
  RampShape shape_;

  std::optional<TraceTimes> times_;
  std::optional<TraceOffset> offset_;
  std::optional<segy::WordRef> word_;       // states the time of the mute
  std::optional<segy::WordRef> mute_word_;  // states the muted range, if the survey has it
  ByteOrder order_ = ByteOrder::big;
  std::int64_t samples_ = 0;
};

}  // namespace

const OperationType& mute() {
  static const OperationType type{
      .name = "mute",
      .summary = "Zeros the samples before (top) or after (bottom) a time, with a ramp",
      .formula =
          "top: w = ramp((t - t0) / L); bottom: w = ramp((t0 - t) / L); out = w x; t0 is at, or table(|offset|), "
          "or |offset| / velocity + at, or the header word in ms; the mute time (bytes 111-112, 113-114) is set",
      .example = "mute top velocity=1500m/s at=100ms ramp=50ms",
      .positionals = {"edge"},
      .parameters = {{"edge", "top | bottom", "", "Samples to set to zero: before (top) or after (bottom) the time"},
                     {"at", "TIME", "none", "Time t0 of all traces or, with velocity, the time to add"},
                     {"table", "@FILE", "none",
                      "Table of offset,time, in the survey's unit of length and s unless its first line names other "
                      "units, interpolated linearly and constant outside"},
                     {"velocity", "VELOCITY", "none", "t0 = |offset| / velocity + at"},
                     {"word", "WORD", "none", "Header word that contains t0 in milliseconds"},
                     {"ramp", "TIME", "0 s", "Length L of the ramp"},
                     {"shape", "linear | cosine2 | sine", "linear",
                      "Weight along the ramp, on which u rises from 0 to 1: u (linear), (1 - cos(pi u)) / 2 (cosine2) "
                      "or sin(pi u / 2) (sine)"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Mute>(arguments); }};
  return type;
}

}  // namespace sill::flow
