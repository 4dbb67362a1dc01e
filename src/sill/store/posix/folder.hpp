// Folders: found, made, and their names on stable storage.
#pragma once

#include <string>

namespace sill {

/// Local. `path` if it is a folder, else the nearest one above it that is there.
[[nodiscard]] std::string existing_folder(const std::string& path);

/// Local. Errors: io if `path` is a symbolic link that leads nowhere. To be asked where something could not be found:
/// the system says only that it is not there.
void refuse_dangling_link(const std::string& path);

/// Local. Errors: io unless `folder` is there and files can be made in it; "" is the current one.
void require_writable_folder(const std::string& folder);

/// Local. Makes a folder, and those above it, unless it is there; true if it was made. Errors: io.
bool make_folder(const std::string& path);

/// Local. Returns when the names in `folder` are on stable storage as they are now; "" is the current one. Syncing the
/// bytes of its files is another matter. Errors: io.
void sync_folder(const std::string& folder);

}  // namespace sill
