// A policy for each output of a program.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "sill/move/policy/policy.hpp"

namespace sill {

/// Policies by the names of outputs. Text form: entries separated by `;`, with or without spaces around it. An entry is
/// a policy, optionally preceded by the name of an output: `stations:stage=64K`. An entry without a name applies to all
/// outputs that are not named. A named entry is complete: it does not modify the entry without a name.
class PolicySet {
 public:
  PolicySet() = default;
  /// Local. Uses `policy` for every output.
  explicit PolicySet(const Policy& policy) : others_(policy) {}

  /// Local. Returns the set that `text` describes. Errors: usage, with the name of the output, if an entry is not a
  /// policy, if a name occurs twice, or if a name contains characters other than lower-case letters, digits, `_` and
  /// `-`.
  [[nodiscard]] static PolicySet parse(std::string_view text);
  /// Local. Returns `before`, overridden by `text`: an entry without a name replaces all of `before`, a named entry
  /// replaces the policy of its output. Errors: as `parse`.
  [[nodiscard]] static PolicySet parse_over(std::string_view text, const PolicySet& before);
  /// Local. Returns this set with `threads` workers per rank in every policy.
  [[nodiscard]] PolicySet with_threads(int threads) const;
  /// Local. Returns the text form with every axis of every entry; `parse` of the text returns an equal set.
  [[nodiscard]] std::string text() const;

  /// Local. Returns the policy of an output.
  [[nodiscard]] const Policy& of(std::string_view output) const;
  /// Local. Returns the policy of outputs that are not named; `auto` if the text has no entry without a name.
  [[nodiscard]] const Policy& others() const { return others_; }
  /// Local. Returns the policies of named outputs.
  [[nodiscard]] const std::map<std::string, Policy, std::less<>>& named() const { return named_; }

  /// Local. Checks the names of outputs, for programs that know their outputs. Errors: usage if a named output is not
  /// one of `outputs`.
  void check_names(std::span<const std::string_view> outputs) const;

  friend bool operator==(const PolicySet&, const PolicySet&) = default;

 private:
  Policy others_ = Policy::automatic();
  std::map<std::string, Policy, std::less<>> named_;
};

}  // namespace sill
