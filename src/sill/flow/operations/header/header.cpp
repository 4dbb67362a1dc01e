#include "sill/flow/operations/header/header.hpp"

#include "sill/flow/operation/trace_times.hpp"
#include "sill/formats/segy/expression/assignment.hpp"

namespace sill::flow {
namespace {

class Header final : public Operation {
 public:
  explicit Header(const Arguments& arguments) : step_(arguments.step()) {
    if (step_.arguments.empty()) arguments.refuse("", "no word is set", "write header cdp='round(true(cdpx) / 25)'");
  }

  void bind(SurveyState& state) override {
    const Arguments arguments(step_);
    std::vector<std::string> texts;
    for (const Argument& argument : step_.arguments) {
      texts.push_back(argument.key + "=" + argument.value);
      (void)arguments.at(argument.key, [&] { return segy::parse_assignments({&texts.back(), 1}, *state.words); });
    }
    assignments_ = segy::parse_assignments(texts, *state.words);
    for (const segy::Assignment& assignment : assignments_)
      if (const char* const name = segy::shape_word_in(*state.words, assignment.word))
        arguments.refuse(assignment.word.name,
                         std::string(name) + " determines the number or the interval of the samples",
                         "change it with the samples, with window or resample");
    // Words of keys may have changed.
    state.sort_keys.clear();
  }

  [[nodiscard]] Access access() const override {
    Access access{.can_stop = true};
    for (const segy::Assignment& assignment : assignments_) {
      access.reads_words.push_back(assignment.value.needed_bytes());
      access.reads_words.push_back(assignment.needed_bytes());
      for (const ByteRange target : assignment.targets()) access.writes_words.push_back(target);
      access.reads_position = access.reads_position || assignment.value.reads_trace_number();
      access.reads_file = access.reads_file || assignment.value.reads_file_number();
    }
    return access;
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* header) const override {
    segy::apply(assignments_, trace, header);
    return true;
  }

 private:
  Step step_;
  std::vector<segy::Assignment> assignments_;
};

}  // namespace

const OperationType& header() {
  static const OperationType type{
      .name = "header",
      .summary = "Sets header words to the values of expressions",
      .formula = "as 'sill edit --set', also for true(WORD): all expressions use the header before the operation",
      .example = "header cdp='round(true(cdpx) / 25)'",
      .takes_assignments = true,
      .make = [](const Arguments& arguments) { return std::make_unique<Header>(arguments); }};
  return type;
}

}  // namespace sill::flow
