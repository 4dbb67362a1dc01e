#include "sill/flow/operations/sort/sort.hpp"

namespace sill::flow {
namespace {

class Sort final : public Operation {
 public:
  explicit Sort(const Arguments& arguments) : arguments_(arguments.step()), text_(arguments.required_text("by")) {}

  void bind(SurveyState& state) override {
    keys_ = Arguments(arguments_).at("by", [&] { return segy::TraceKey::parse_list(text_, *state.words); });
    state.sort_keys = keys_;
    if (state.kind == segy::FileKind::segy) state.sorting_code = segy::sorting_code_of(keys_);
  }

  [[nodiscard]] Access access() const override {
    Access access{.writes_order = true};
    for (const segy::TraceKey& key : keys_) {
      access.reads_words.push_back(key.needed_bytes());
      access.reads_file = access.reads_file || key.reads_file_number();
      access.reads_position = access.reads_position || key.reads_trace_number();
    }
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override { return keys_; }

 private:
  Step arguments_;
  std::string text_;
  std::vector<segy::TraceKey> keys_;
};

}  // namespace

const OperationType& sort() {
  static const OperationType type{
      .name = "sort",
      .summary = "Puts the traces in the order of header words or expressions over them",
      .formula =
          "as 'sill sort --by KEYS': the first key counts most, '-' in front of one makes it descend; traces of "
          "equal keys keep their order",
      .example = "sort cdp,offset",
      .positionals = {"by"},
      .parameters = {{"by", "KEY,KEY...", "", "keys, separated by commas without blanks, or quoted"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Sort>(arguments); }};
  return type;
}

}  // namespace sill::flow
