#include "sill/flow/operations/sort/sort.hpp"

#include "sill/flow/operation/named_keys.hpp"

namespace sill::flow {
namespace {

class Sort final : public Operation {
 public:
  explicit Sort(const Arguments& arguments) : keys_(arguments) {}

  void bind(SurveyState& state) override {
    keys_.bind(state);
    state.sort_keys = keys_.keys();
    if (state.kind == segy::FileKind::segy)
      state.sorting_code = segy::sorting_code_of(keys_.keys(), state.sorting_code);
  }

  [[nodiscard]] Access access() const override {
    Access access{.writes_order = true};
    keys_.add_to(access);
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override { return keys_.keys(); }

 private:
  NamedKeys keys_;
};

}  // namespace

const OperationType& sort() {
  static const OperationType type{
      .name = "sort",
      .summary = "Sorts the traces by header words or expressions over them",
      .formula =
          "as 'sill sort --by KEYS': the first key has priority, '-' before a key sorts it in descending order; traces "
          "with equal keys remain in order",
      .example = "sort cdp,offset",
      .positionals = {"by"},
      .parameters = {{"by", "KEY,KEY...", "", "Keys, separated by commas without blanks, or quoted"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Sort>(arguments); }};
  return type;
}

}  // namespace sill::flow
