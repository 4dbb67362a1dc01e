// Names of part files: ".NAME.sill-ID.part" next to the target NAME, where ID is 16 hexadecimal digits. The end of a
// long NAME is replaced by a checksum of the name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sill {

struct PartName {
  std::string_view prefix;  ///< part_prefix_of the target
  std::string_view group;   ///< the first 8 digits of the ID: identify the lock that guards the file (PartFile)
};

/// Local. Returns the components of a name without folders, as views into `name`; nullopt if it is not the name of a
/// part file.
[[nodiscard]] std::optional<PartName> parse_part_name(std::string_view name);

/// Local. Returns the prefix of the part files for a target whose file name is `name`, and of its locks and hidden
/// folders.
[[nodiscard]] std::string part_prefix_of(std::string_view name);

/// Local. Returns the name of the part file with this prefix; `group` and `number` have 8 digits each.
[[nodiscard]] std::string part_name(std::string_view prefix, std::string_view group, std::string_view number);

/// The endings, after the prefix, of a part file that remains for the next process, and of its journal.
inline constexpr std::string_view kept_part_ending = "flow.part";
inline constexpr std::string_view kept_journal_ending = "flow";

/// The ending, after the prefix, of a folder that is not complete yet.
inline constexpr std::string_view new_folder_ending = "new";

/// Local. Returns the path of the target if `path` is a part file or in a folder that is not complete, for messages;
/// of a long name without its end. Returns any other path unchanged.
[[nodiscard]] std::string target_of_part(const std::string& path);

}  // namespace sill
