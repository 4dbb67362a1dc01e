// Keys that a parameter names: of a sort, or what the traces of a gather have in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sill/flow/operation/arguments.hpp"
#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// The keys that a parameter names, or else, of gathers, the first key of the last sort.
class NamedKeys {
 public:
  /// Local. Errors: usage, as Arguments.
  explicit NamedKeys(const Arguments& arguments, std::string parameter = "by")
      : step_(arguments.step()), parameter_(std::move(parameter)), text_(arguments.text(parameter_)) {}

  /// That of gathers, `name`.
  [[nodiscard]] static constexpr Parameter parameter(std::string_view name = "by") {
    return {name, "KEY,KEY...", "the first key of the last sort", "keys that all traces of a gather share"};
  }

  /// Local. Errors: usage: keys that the survey does not have; no keys and no sort.
  void bind(const SurveyState& state);

  [[nodiscard]] const std::vector<segy::TraceKey>& keys() const { return keys_; }
  /// Local. Adds what the keys read.
  void add_to(Access& access) const;

 private:
  Step step_;
  std::string parameter_;
  std::optional<std::string> text_;
  std::vector<segy::TraceKey> keys_;
};

}  // namespace sill::flow
