// The properties in which merged files may differ, and the rules for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sill {

/// Properties in which files of one survey may differ, or items that they may contain twice.
enum class MergeProperty : std::uint8_t {
  files,
  kind,
  domain,
  byte_order,
  format,
  revision,
  interval,
  samples,
  units,
  coordinates,
  sorting,
  binary,
  text,
  extended,
  trailers,
  duplicates,
  numbers
};

enum class MergeRule : std::uint8_t { refuse, first, convert, exact, round, pad, cut, vary, keep, drop, clear };

/// Local. Returns the name of a rule: "refuse", "first", ...
[[nodiscard]] std::string_view name_of(MergeRule rule);

/// A rule of a property, and its effect: "the sorting code is set to 0 (unknown)".
struct MergeRuleMeaning {
  MergeRule rule;
  std::string_view does;
};

/// A property: its name in `--on`, its description, and its rules, the default first.
struct MergePropertyKind {
  MergeProperty property;
  std::string_view name;
  std::string_view what;
  std::span<const MergeRuleMeaning> rules;
};

/// Local. Returns the description of a property.
[[nodiscard]] const MergePropertyKind& kind_of(MergeProperty property);

/// The rule that applies to each property.
class MergeRules {
 public:
  /// Local. Reads rules such as "samples=pad,text=first", which override the defaults. Errors: usage for unknown names
  /// and rules (with suggestions), and for a name given twice.
  void add(std::string_view text);

  /// Local. Returns the rule that was given for a property, or the default rule of the property.
  [[nodiscard]] MergeRule of(MergeProperty property) const;

 private:
  void add_one(std::string_view text);

  static constexpr std::size_t properties = 17;
  std::array<std::optional<MergeRule>, properties> rules_{};
};

/// Local. Returns names and rules for help texts, one line each: "  samples  refuse, pad, cut, vary: ...".
[[nodiscard]] std::string merge_rules_table();

}  // namespace sill
