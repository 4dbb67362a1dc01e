#include "sill/flow/operations/shift/shift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/flow/operation/sinc.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/formats/segy/expression/assignment.hpp"
#include "sill/formats/segy/words/true_value_writing.hpp"

namespace sill::flow {
namespace {

class Shift final : public Operation {
 public:
  explicit Shift(const Arguments& arguments) : by_s_(arguments.required("by", Dimension::time)) {}

  void bind(SurveyState& state) override { interval_s_ = TraceTimes(state, "shift").interval_s(); }

  [[nodiscard]] Access access() const override {
    return {.reads_samples = true, .writes_samples = true, .moves_samples = true};
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    for (std::int64_t i = 0; i < block.count(); ++i)
      SincInterpolation::shift(block.change(i), by_s_ / interval_s_, workspace.c);
  }

 private:
  double by_s_;
  double interval_s_ = 1.0;
};

class Statics final : public Operation {
 public:
  explicit Statics(const Arguments& arguments)
      : word_name_(arguments.required_text("word")),
        sign_(arguments.quantity("sign", Dimension::number).value_or(1.0)),
        again_(arguments.flag("again")) {
    if (std::abs(sign_) != 1.0) arguments.refuse("sign", "sign is 1 or -1");
  }

  void bind(SurveyState& state) override {
    interval_s_ = TraceTimes(state, "statics").interval_s();
    word_ = state.words->word(word_name_);
    segy::require_true_value(*word_, word_name_);
    total_ = state.words->word("tstat");
    order_ = state.order;
  }

  [[nodiscard]] Access access() const override {
    Access access{.reads_words = {segy::bytes_of(*total_)},
                  .writes_words = {segy::bytes_of(*total_)},
                  .reads_samples = true,
                  .writes_samples = true,
                  .can_stop = true,
                  .moves_samples = true};
    access.read_number({*word_, longest_time_ms});
    access.read_number({*total_, longest_time_ms});
    return access;
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const std::byte* const header = block.header(i).data();
      if (!again_ && segy::true_value(*total_, header, order_) != 0.0)
        throw Error({.code = ErrorCode::input,
                     .problem = "a static shift was already applied: tstat (bytes 103-104) is not 0",
                     .where = {.item = i + 1, .item_word = "trace"},
                     .clause = total_->standard != nullptr ? total_->standard->clause() : "",
                     .action = "the flag `again` applies another one"});
      SincInterpolation::shift(block.change(i), shift_s(header) / interval_s_, workspace.c);
    }
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* header) const override {
    segy::write_true_value(*total_, header, order_,
                           segy::true_value(*total_, trace.header, order_) + shift_s(trace.header) * ms_per_s);
    return true;
  }

 private:
  [[nodiscard]] double shift_s(const std::byte* header) const {
    return sign_ * segy::true_value(*word_, header, order_) / ms_per_s;
  }

  std::string word_name_;
  double sign_;
  bool again_;
  std::optional<segy::WordRef> word_;
  std::optional<segy::WordRef> total_;
  ByteOrder order_ = ByteOrder::big;
  double interval_s_ = 1.0;
};

}  // namespace

const OperationType& shift() {
  static const OperationType type{
      .name = "shift",
      .summary = "Moves all traces by a time",
      .formula = "out(t) = in(t - by): positive is later; samples without a value become 0",
      .example = "shift 3ms",
      .positionals = {"by"},
      .parameters = {{"by", "TIME", "",
                      "Time of the shift; integer numbers of samples are shifted exactly, fractions are interpolated"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Shift>(arguments); }};
  return type;
}

const OperationType& statics() {
  static const OperationType type{
      .name = "statics",
      .summary = "Moves each trace by the time in a header word",
      .formula =
          "out(t) = in(t - s), s the word in ms with its scalar applied, times sign; s is added to tstat (bytes "
          "103-104)",
      .example = "statics sstat",
      .positionals = {"word"},
      .parameters = {{"word", "WORD", "", "Header word with the static shift, in milliseconds"},
                     {"sign", "1 | -1", "1", "-1 reverses the direction"},
                     {"again", "", "", "Also move traces whose tstat is not 0", true}},
      .make = [](const Arguments& arguments) { return std::make_unique<Statics>(arguments); }};
  return type;
}

}  // namespace sill::flow
