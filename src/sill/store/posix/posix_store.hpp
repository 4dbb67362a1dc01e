// Files of the operating system.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sill/store/store.hpp"

namespace sill {

/// Local. Opens a regular file. Errors: io if it is missing, a directory or other special file, or not permitted.
[[nodiscard]] std::unique_ptr<Store> open_posix(const std::string& path, OpenMode mode);

/// Local. Opens for reading a regular file that Sill stores next to a file of the user. Other users may have created a
/// file of that name, so links are not followed. Sets `owner` to the user that owns the opened file. Errors: io.
[[nodiscard]] std::unique_ptr<Store> open_stored_beside(const std::string& path, std::int64_t& owner);

/// Local. Throws Error(io): this rank does not find a part file that the first rank created.
[[noreturn]] void refuse_unseen_part(const std::string& path);

}  // namespace sill
