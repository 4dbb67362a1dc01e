// How much room the file system of an output has.
#pragma once

#include <cstdint>
#include <string>

namespace sill {

/// Local. The bytes that this user may still write to the file system that holds `path`, which need not exist; 0 if the
/// system does not tell. Quotas may allow less.
[[nodiscard]] std::int64_t free_space_bytes(const std::string& path);

}  // namespace sill
