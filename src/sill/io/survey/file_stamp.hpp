// Detection of changes of a file.
#pragma once

#include <cstdint>
#include <string>

#include "sill/io/session/resources.hpp"

struct stat;

namespace sill {

/// Distinguishes states of a file without reading it.
struct FileStamp {
  std::int64_t bytes = 0;
  std::int64_t changed_ns = 0;  ///< time of the last change of the file, in ns since 1970

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Local. Returns the stamp of a file with this status.
[[nodiscard]] FileStamp stamp_of_status(const struct stat& status);

/// Local. Returns the current stamp of a file; one stamp for all remote files (`is_url`), of which stores read one
/// state only. Errors: io.
[[nodiscard]] FileStamp own_stamp_of(const std::string& path);

/// Collective. Returns the current stamp of a file as rank 0 sees it. Errors: io.
[[nodiscard]] FileStamp stamp_of(const Resources& resources, const std::string& path);

}  // namespace sill
