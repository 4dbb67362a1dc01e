// What may differ between files that are merged, and what is done about it.
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

/// What files of one survey may differ in, or have twice.
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

/// Local. "refuse", "first", ...
[[nodiscard]] std::string_view name_of(MergeRule rule);

/// A rule of a property, and what it does: "the sorting code is set to 0 (unknown)".
struct MergeRuleMeaning {
  MergeRule rule;
  std::string_view does;
};

/// A property: its name in `--on`, what it is, and its rules, the default first.
struct MergePropertyKind {
  MergeProperty property;
  std::string_view name;
  std::string_view what;
  std::span<const MergeRuleMeaning> rules;
};

[[nodiscard]] const MergePropertyKind& kind_of(MergeProperty property);

/// Which rule counts for each property.
class MergeRules {
 public:
  /// Local. Reads "samples=pad,text=first" and the like over the defaults. Errors: usage for unknown names and rules
  /// (with those that may have been meant), and for a name given twice.
  void add(std::string_view text);

  /// Local. The rule given, or the default.
  [[nodiscard]] MergeRule of(MergeProperty property) const;

 private:
  void add_one(std::string_view text);

  static constexpr std::size_t properties = 17;
  std::array<std::optional<MergeRule>, properties> rules_{};
};

/// Local. Names and rules for help texts, a line each: "  samples  refuse, pad, cut, vary: ...".
[[nodiscard]] std::string merge_rules_table();

}  // namespace sill
