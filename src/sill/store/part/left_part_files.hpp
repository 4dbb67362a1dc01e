// Part files that dead processes left behind.
#pragma once

#include <span>
#include <string>

namespace sill {

/// Local. Returns the file that an output named `target` replaces or creates: the end of a chain of symbolic links,
/// whether it exists or not. Errors: io for an open stream (such as /dev/stdout), for a cycle of links, or for a link
/// in a sticky folder writable by group or others that belongs neither to the caller nor to the owner of the folder.
[[nodiscard]] std::string file_of_output(const std::string& target);

/// Local. Removes the part files for `targets` that processes left behind when they died. Reads each folder once, and
/// once more if there is something to remove. A folder with at least a thousand names that was read shortly before is
/// skipped. Errors: as `file_of_output`.
void remove_left_part_files(std::span<const std::string> targets);

/// Local. Removes the part files that dead processes left for a file that Sill stores next to a file of the user, such
/// as a journal. A symbolic link with the name of this file is not followed.
void remove_left_part_files_of_stored(const std::string& path);

/// Local. Removes a file, unless a process holds it as a part file.
void remove_unless_held(const std::string& path);

/// Local. Returns true if a process holds the file as a part file, or if this is unknown.
[[nodiscard]] bool is_held(const std::string& path);

/// Local. Locks the file of `descriptor`, which must be open for writing, without waiting. Returns true if the file is
/// now locked, or if the file system does not support locks (then `known` is false).
[[nodiscard]] bool try_lock_part_file(int descriptor, bool& known);

}  // namespace sill
