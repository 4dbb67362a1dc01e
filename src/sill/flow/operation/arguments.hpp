// The arguments of one operation, read by the types of its parameters.
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
  /// `interval_s`: from one sample to the next, for times in samples; 0 if it is not known.
  explicit Arguments(const Step& step, double interval_s = 0.0) : step_(step), interval_s_(interval_s) {}

  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] bool flag(std::string_view key) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  /// Local. Errors: usage, also if the argument is missing.
  [[nodiscard]] std::string required_text(std::string_view key) const;
  /// Local. The file that the argument names as `@FILE`; nothing if it names none.
  [[nodiscard]] std::optional<TableFile> table(std::string_view key) const;
  /// Local. Returns the survey that the argument names as `@FILE`; nullptr if none was opened because the operation is
  /// only described. Errors: usage if it names none.
  [[nodiscard]] std::shared_ptr<const OtherSurvey> survey(std::string_view key) const;
  /// Local. The same, but nullptr also if the argument names no survey.
  [[nodiscard]] std::shared_ptr<const OtherSurvey> survey_if_any(std::string_view key) const;
  [[nodiscard]] std::optional<double> quantity(std::string_view key, Dimension dimension) const;
  [[nodiscard]] double required(std::string_view key, Dimension dimension) const;
  [[nodiscard]] std::vector<double> quantities(std::string_view key, Dimension dimension) const;
  /// Local. Ranges A-B, separated by commas, A below B. Errors: usage.
  [[nodiscard]] std::vector<std::pair<double, double>> ranges(std::string_view key, Dimension dimension) const;
  /// Local. FIRST:LAST:STEP as the values from FIRST to LAST, at most `most` of them. Errors: usage.
  [[nodiscard]] std::vector<double> series(std::string_view key, Dimension dimension, std::int64_t most) const;
  /// Local. Two times with a colon between them (segy::parse_time_window). Errors: usage.
  [[nodiscard]] std::optional<segy::TimeWindow> time_window(std::string_view key) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most) const;
  /// Local. The index of the value in `choices`; that of the first without the argument.
  [[nodiscard]] std::size_t choice(std::string_view key, std::span<const std::string_view> choices) const;

  /// Local. The arguments whose keys are none of `named`.
  [[nodiscard]] std::vector<Argument> others(std::span<const std::string_view> named) const;

  /// Local. Throws a usage error about an argument, or about the operation if it has no such argument.
  [[noreturn]] void refuse(std::string_view key, const std::string& problem, const std::string& action = {}) const;

  [[nodiscard]] const Step& step() const { return step_; }

  /// Local. Runs `work`; a usage error that it throws without a place gets that of the argument.
  template <class Work>
  auto at(std::string_view key, Work&& work) const;

 private:
  [[nodiscard]] const Argument* find(std::string_view key) const;

  const Step& step_;
  double interval_s_;
};

template <class Work>
auto Arguments::at(std::string_view key, Work&& work) const {
  try {
    return work();
  } catch (const Error& error) {
    refuse(key, error.parts().problem, error.parts().action);
  }
}

}  // namespace sill::flow
