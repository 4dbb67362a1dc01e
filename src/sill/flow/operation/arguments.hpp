// Reads the arguments of one operation according to the types of its parameters.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/flow/operation/table.hpp"
#include "sill/flow/value/flow.hpp"
#include "sill/flow/value/quantity.hpp"
#include "sill/formats/segy/samples/time_window.hpp"

namespace sill::flow {

/// Reads the arguments of a step. Errors are usage errors with a caret under the argument.
class Arguments {
 public:
  /// Local. Creates a reader of the arguments of `step`, which must outlive the reader. `interval_s`: sample interval,
  /// for times given in samples; 0 if unknown.
  explicit Arguments(const Step& step, double interval_s = 0.0) : step_(step), interval_s_(interval_s) {}

  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] bool flag(std::string_view key) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  /// Local. Returns the value of the argument. Errors: usage, also if the argument is missing.
  [[nodiscard]] std::string required_text(std::string_view key) const;
  /// Local. Returns the file that the argument names as `@FILE`; nullopt if the argument is missing or does not name a
  /// file.
  [[nodiscard]] std::optional<TableFile> table(std::string_view key) const;
  /// Local. Returns the survey that the argument names as `@FILE`; nullptr if none was opened because the operation is
  /// only described. Errors: usage if the argument does not name a file.
  [[nodiscard]] std::shared_ptr<const OtherSurvey> survey(std::string_view key) const;
  /// Local. Returns the survey as `survey` does, but also nullptr if the argument names no survey.
  [[nodiscard]] std::shared_ptr<const OtherSurvey> survey_if_any(std::string_view key) const;
  [[nodiscard]] std::optional<double> quantity(std::string_view key, Dimension dimension) const;
  [[nodiscard]] double required(std::string_view key, Dimension dimension) const;
  [[nodiscard]] std::vector<double> quantities(std::string_view key, Dimension dimension) const;
  /// Local. Returns ranges A-B, separated by commas, with A below B. Errors: usage.
  [[nodiscard]] std::vector<std::pair<double, double>> ranges(std::string_view key, Dimension dimension) const;
  /// Local. Returns the values of FIRST:LAST:STEP from FIRST to LAST, at most `max` values. Errors: usage.
  [[nodiscard]] std::vector<double> series(std::string_view key, Dimension dimension, std::int64_t max) const;
  /// Local. Returns a window of two times separated by a colon (segy::parse_time_window). Errors: usage.
  [[nodiscard]] std::optional<segy::TimeWindow> time_window(std::string_view key) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key, std::int64_t min, std::int64_t max) const;
  /// Local. Returns the index of the value in `choices`; the first index if the argument is missing.
  [[nodiscard]] std::size_t choice(std::string_view key, std::span<const std::string_view> choices) const;

  /// Local. Returns the arguments whose keys are not in `named`.
  [[nodiscard]] std::vector<Argument> others(std::span<const std::string_view> named) const;

  /// Local. Returns `argument`, such as "order=4", "order=" or "zerophase", as messages name it: for a command,
  /// "--order 4" (`Step::option_of`).
  [[nodiscard]] std::string shown(std::string_view argument) const;
  /// Local. Throws a usage error if `argument` is given without `needed`. Both are "order=" for any value, "order=4"
  /// for this value, or a flag.
  void require_with(std::string_view argument, std::string_view needed) const;

  /// Local. Throws a usage error about an argument, or about the operation if it has no such argument.
  /// `number`: its `system_error_number`.
  [[noreturn]] void refuse(std::string_view key, const std::string& problem, const std::string& action = {},
                           int number = 0) const;

  [[nodiscard]] const Step& step() const { return step_; }

  /// Local. Runs `work`. A usage error that it throws without a position gets the position of the argument.
  template <class Work>
  auto at(std::string_view key, Work&& work) const;

 private:
  [[nodiscard]] const Argument* find(std::string_view key) const;
  [[nodiscard]] bool is_given(std::string_view argument) const;
  [[noreturn]] void refuse_missing(std::string_view key) const;

  const Step& step_;
  double interval_s_;
};

template <class Work>
auto Arguments::at(std::string_view key, Work&& work) const {
  try {
    return work();
  } catch (const Error& error) {
    refuse(key, error.parts().problem, error.parts().action, error.parts().system_error_number);
  }
}

}  // namespace sill::flow
