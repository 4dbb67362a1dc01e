#include <cmath>
#include <memory>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/flow/operations/bin/bin.hpp"
#include "sill/formats/segy/expression/assignment.hpp"

namespace sill::flow {
namespace {

class SuperGather final : public Operation {
 public:
  explicit SuperGather(const Arguments& arguments) : name_(arguments.text("of").value_or("cdp")) {
    constexpr std::int64_t max = 1'000'001;
    (void)arguments.required_text("width");
    width_ = *arguments.integer("width", 1, max);
    first_ = arguments.integer("first", -2'000'000'000, 2'000'000'000).value_or(1);
    if (width_ % 2 == 0)
      arguments.refuse("width", "the number of gathers must be odd, so that one is in the middle",
                       "give an odd number");
  }

  void bind(SurveyState& state) override {
    word_ = state.words->word(name_);
    order_ = state.order;
    state.sort_keys.clear();
  }

  [[nodiscard]] Access access() const override {
    Access access{.can_stop = true};
    access.reads_words.push_back(segy::bytes_of(*word_));
    access.writes_words.push_back(segy::bytes_of(*word_));
    return access;
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* header) const override {
    const double value = segy::read_word(trace.header, word_->byte, word_->type, order_).as_double();
    const double group = std::floor((value - static_cast<double>(first_)) / static_cast<double>(width_));
    constexpr double max = 1e15;
    if (!(std::abs(group) < max))
      throw Error({.code = ErrorCode::input,
                   .problem = name_ + " is not a gather number",
                   .action = "omit such traces with 'select'"});
    const std::int64_t middle = first_ + static_cast<std::int64_t>(group) * width_ + width_ / 2;
    segy::write_word(header, word_->byte, word_->type, order_, {.number = middle}, word_->name);
    return true;
  }

 private:
  std::string name_;
  std::int64_t width_ = 1;
  std::int64_t first_ = 1;
  std::optional<segy::WordRef> word_;
  ByteOrder order_ = ByteOrder::big;
};

}  // namespace

const OperationType& supergather() {
  static const OperationType type{
      .name = "supergather",
      .summary = "Joins neighbouring gathers: gives their traces the number of the middle gather",
      .formula = "word = first + width floor((word - first) / width) + (width - 1) / 2",
      .example = "supergather 5",
      .positionals = {"width"},
      .parameters = {{"width", "N", "", "Number of gathers to join into one; odd"},
                     {"of", "WORD", "cdp", "Header word that numbers gathers"},
                     {"first", "N", "1", "First number of a group"}},
      .make = [](const Arguments& arguments) { return std::make_unique<SuperGather>(arguments); }};
  return type;
}

}  // namespace sill::flow
