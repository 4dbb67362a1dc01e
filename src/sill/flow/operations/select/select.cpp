#include "sill/flow/operations/select/select.hpp"

#include <algorithm>
#include <optional>

#include "sill/flow/operation/trace_times.hpp"
#include "sill/formats/segy/expression/assignment.hpp"

namespace sill::flow {
namespace {

// A condition over headers, read with the words of a survey.
class Condition {
 public:
  explicit Condition(const Arguments& arguments) : step_(arguments.step()), text_(arguments.required_text("where")) {}

  void bind(const SurveyState& state) {
    const auto parse = [&] { return segy::Expression::parse_condition(text_, *state.words); };
    condition_.emplace(Arguments(step_).at("where", parse));
  }
  void add_to(Access& access) const {
    access.reads_words.push_back(condition_->needed_bytes());
    access.reads_position = condition_->reads_trace_number();
    access.reads_file = condition_->reads_file_number();
    // A word beyond 64 bits, a remainder by 0.
    access.can_stop = true;
  }
  [[nodiscard]] bool holds(const segy::HeaderView& trace) const { return condition_->holds(trace); }

 private:
  Step step_;
  std::string text_;
  std::optional<segy::Expression> condition_;
};

class Select final : public Operation {
 public:
  explicit Select(const Arguments& arguments) : condition_(arguments) {}

  void bind(SurveyState& state) override { condition_.bind(state); }

  [[nodiscard]] Access access() const override {
    Access access{.writes_membership = true};
    condition_.add_to(access);
    return access;
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* /*header*/) const override {
    return condition_.holds(trace);
  }

 private:
  Condition condition_;
};

class Kill final : public Operation {
 public:
  explicit Kill(const Arguments& arguments) : condition_(arguments) {}

  void bind(SurveyState& state) override {
    condition_.bind(state);
    identification_ = state.words->word("trid");
    order_ = state.order;
  }

  [[nodiscard]] Access access() const override {
    Access access{.writes_words = {segy::bytes_of(*identification_)}, .writes_samples = true, .takes_auxiliary = true};
    condition_.add_to(access);
    access.reads_words.push_back(segy::bytes_of(*identification_));
    return access;
  }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    for (std::int64_t i = 0; i < block.count(); ++i) {
      try {
        if (condition_.holds(block.view(i))) std::ranges::fill(block.change(i), 0.0F);
      } catch (const Error& error) {
        throw_at(error, {.item = i + 1, .item_word = "trace"});
      }
    }
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* header) const override {
    constexpr std::int64_t dead = 2;
    if (condition_.holds(trace))
      segy::write_word(header, identification_->byte, identification_->type, order_, {.number = dead}, "trid");
    return true;
  }

 private:
  Condition condition_;
  std::optional<segy::WordRef> identification_;
  ByteOrder order_ = ByteOrder::big;
};

}  // namespace

const OperationType& select() {
  static const OperationType type{
      .name = "select",
      .summary = "Selects the traces for which a condition over header words holds",
      .formula =
          "out = the traces for which the condition holds (as 'sill cut --where'); trace is the number of the trace "
          "after the preceding operations",
      .example = "select 'trid == 1 and abs(offset) < 3000'",
      .positionals = {"where"},
      .parameters = {{"where", "CONDITION", "", "Condition, in quotes"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Select>(arguments); }};
  return type;
}

const OperationType& kill() {
  static const OperationType type{
      .name = "kill",
      .summary = "Zeros the traces for which a condition over header words holds, and marks them as dead",
      .formula = "samples 0, trace identification (bytes 29-30) 2",
      .example = "kill 'offset > 400'",
      .positionals = {"where"},
      .parameters = {{"where", "CONDITION", "", "Condition in quotes, as in 'sill cut --where'"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Kill>(arguments); }};
  return type;
}

}  // namespace sill::flow
