// Keys in a parameter: of a sort, or the keys that the traces of a gather have in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sill/flow/operation/arguments.hpp"
#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// The keys in a parameter. For gathers the default is the first key of the preceding sort in the flow.
class NamedKeys {
 public:
  /// Local. Reads the parameter. Errors: usage, as Arguments.
  explicit NamedKeys(const Arguments& arguments, std::string parameter = "by")
      : step_(arguments.step()), parameter_(std::move(parameter)), text_(arguments.text(parameter_)) {}

  /// Local. Returns the parameter `name` for gathers.
  [[nodiscard]] static constexpr Parameter parameter(std::string_view name = "by") {
    return {name, "KEY,KEY...", "the first key of the preceding sort in the flow; required if there is none",
            "Keys that all traces of a gather share"};
  }

  /// Local. Finds the keys in the survey. Errors: usage if the survey does not have the keys, or if there are neither
  /// keys nor a sort.
  void bind(const SurveyState& state);

  [[nodiscard]] const std::vector<segy::TraceKey>& keys() const { return keys_; }
  /// Local. Adds the words that the keys read.
  void add_to(Access& access) const;

 private:
  Step step_;
  std::string parameter_;
  std::optional<std::string> text_;
  std::vector<segy::TraceKey> keys_;
};

}  // namespace sill::flow
