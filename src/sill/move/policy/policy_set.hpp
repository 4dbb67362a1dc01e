// A policy for each output of a program.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "sill/move/policy/policy.hpp"

namespace sill {

/// Policies by the names of outputs. Text form: parts separated by `;`, with or without spaces around. A part is a
/// policy with the name of its output before it, `stations:stage=64K`; one without a name is for all outputs that are
/// not named. A named part says everything about its output: it does not change the part without a name.
class PolicySet {
 public:
  PolicySet() = default;
  /// Local. `policy` for every output.
  explicit PolicySet(const Policy& policy) : others_(policy) {}

  /// Local. Errors: usage, naming the output, for a part that is no policy, for a name twice, and for names that are
  /// not of small letters, digits, `_` and `-`.
  [[nodiscard]] static PolicySet parse(std::string_view text);
  /// Local. What `text` says over `before`: a part without a name replaces all of that, a named one the policy of its
  /// output. Errors: as parse.
  [[nodiscard]] static PolicySet parse_over(std::string_view text, const PolicySet& before);
  /// Local. The same with so many workers per rank in every policy.
  [[nodiscard]] PolicySet with_threads(int threads) const;
  /// Local. The text form with every axis of every part; `parse` of it gives an equal set.
  [[nodiscard]] std::string text() const;

  /// Local. The policy of an output.
  [[nodiscard]] const Policy& of(std::string_view output) const;
  /// Local. The policy of outputs that are not named; `auto` if the text has no such part.
  [[nodiscard]] const Policy& others() const { return others_; }
  /// Local. The policies of named outputs.
  [[nodiscard]] const std::map<std::string, Policy, std::less<>>& named() const { return named_; }

  /// Local. For programs that know their outputs. Errors: usage if an output is named that is not one of `outputs`.
  void check_names(std::span<const std::string_view> outputs) const;

  friend bool operator==(const PolicySet&, const PolicySet&) = default;

 private:
  Policy others_ = Policy::automatic();
  std::map<std::string, Policy, std::less<>> named_;
};

/// Local. The grammar of the text form of sets.
[[nodiscard]] std::string policy_set_grammar();

}  // namespace sill
