// Finding, creating and syncing folders.
#pragma once

#include <string>

namespace sill {

/// Local. Returns `path` if it is a folder; otherwise the nearest existing folder above it.
[[nodiscard]] std::string existing_folder(const std::string& path);

/// Local. Throws if `path` is a symbolic link to a missing file. Call it when a file was not found, because the system
/// only reports that the file does not exist. Errors: io.
void refuse_dangling_link(const std::string& path);

/// Local. Verifies that `folder` exists and that files can be created in it; "" is the current folder. Errors: io if
/// not.
void require_writable_folder(const std::string& folder);

/// Local. Creates a folder and its parents unless it exists; returns true if it was created. Errors: io.
bool make_folder(const std::string& path);

/// Local. Syncs the list of names in `folder` to stable storage; "" is the current folder. Does not sync the bytes of
/// its files. Errors: io.
void sync_folder(const std::string& folder);

}  // namespace sill
