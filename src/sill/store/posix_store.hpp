// Files of the operating system.
#pragma once

#include <memory>
#include <string>

#include "sill/store/store.hpp"

namespace sill {

/// Local. Opens a regular file. Errors: io if it is missing, a directory or other special file, or not permitted.
[[nodiscard]] std::unique_ptr<Store> open_posix(const std::string& path, OpenMode mode);

}  // namespace sill
