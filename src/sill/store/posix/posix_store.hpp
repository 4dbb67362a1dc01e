// Files of the operating system.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sill/store/store.hpp"

namespace sill {

/// Local. Opens a regular file. Errors: io if it is missing, a directory or other special file, or not permitted.
[[nodiscard]] std::unique_ptr<Store> open_posix(const std::string& path, OpenMode mode);

/// Local. Opens for reading a file that Sill stores beside one of the user's, where others may have put something of
/// that name: a regular file, no link. `owner` is set to the user that owns what was opened. Errors: io.
[[nodiscard]] std::unique_ptr<Store> open_stored_beside(const std::string& path, std::int64_t& owner);

/// Local. Throws Error(io): a part file that the first rank made is not found.
[[noreturn]] void refuse_unseen_part(const std::string& path);

}  // namespace sill
