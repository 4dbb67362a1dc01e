// Part files that nobody writes any more.
#pragma once

#include <span>
#include <string>

namespace sill {

/// Local. The file that an output of that name replaces or becomes: where a chain of symbolic links ends, whether it
/// exists or not. Errors: io for a stream that is open, links in a circle, or a
/// link in a sticky folder that group or others may write, which belongs neither to the caller nor to the folder's
/// owner.
[[nodiscard]] std::string file_of_output(const std::string& target);

/// Local. Removes the part files for `targets` that processes left behind when they died. Each folder is read once, and
/// once more if there is something to remove; one of a thousand names or more that was read just now is not read again.
/// Errors: as `file_of_output`.
void remove_left_part_files(std::span<const std::string> targets);

/// Local. The same for a file that Sill stores beside one of the user's, such as a journal: no link of its name is
/// followed.
void remove_left_part_files_of_stored(const std::string& path);

/// Local. Removes a file, unless a process holds it as a part file.
void remove_unless_held(const std::string& path);

/// Local. Locks a file, of which `descriptor` is open for writing, unless it is locked. True if that could be done, or
/// if the file system knows no locks (then `known` is false).
[[nodiscard]] bool try_lock_part_file(int descriptor, bool& known);

}  // namespace sill
