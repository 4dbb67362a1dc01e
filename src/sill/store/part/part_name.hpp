// Names of part files: ".NAME.sill-ID.part" beside NAME, ID being 16 hexadecimal digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sill {

struct PartName {
  std::string_view prefix;  ///< ".NAME.sill-": which target it is for
  std::string_view group;   ///< the first 8 digits of the ID: who holds it (PartFile)
};

/// Local. The parts of a name without folders; nothing if it is not that of a part file. They point into `name`.
[[nodiscard]] std::optional<PartName> parse_part_name(std::string_view name);

/// Local. The prefix of the part files for a target, of which `name` is the last part. A long one is cut, so that some
/// targets share a prefix.
[[nodiscard]] std::string part_prefix_of(std::string_view name);

/// Local. The name with that prefix; 8 digits each.
[[nodiscard]] std::string part_name(std::string_view prefix, std::string_view group, std::string_view number);

/// The ending, behind the prefix, of a part file that stays for the next process, and of the journal beside it.
inline constexpr std::string_view kept_part_ending = "flow.part";
inline constexpr std::string_view kept_journal_ending = "flow";

/// Local. The path that a part file is written for, for messages; any other path as it is.
[[nodiscard]] std::string target_of_part(const std::string& path);

}  // namespace sill
