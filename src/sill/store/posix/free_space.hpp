// The free space of the file system of an output.
#pragma once

#include <cstdint>
#include <string>

namespace sill {

/// Local. Returns the number of bytes that this user may still write to the file system that holds `path`, which need
/// not exist; 0 if the system does not report them. Quotas may allow less.
[[nodiscard]] std::int64_t free_space_bytes(const std::string& path);

/// Local. Returns the block size to whose multiples files are rounded up on the file system that holds `path`, which
/// need not exist; 1 if the system does not report it. At most 4096: some file systems with many block sizes report the
/// largest (ZFS, GPFS).
[[nodiscard]] std::int64_t block_bytes_of(const std::string& path);

/// Local. Returns the space that a file of `bytes` takes, rounded up to complete blocks.
[[nodiscard]] constexpr std::int64_t in_whole_blocks(std::int64_t bytes, std::int64_t block_bytes) {
  return (bytes + block_bytes - 1) / block_bytes * block_bytes;
}

/// Local. Throws an error with `action` if the file system that holds `path`, which need not exist, reports fewer than
/// `bytes` free bytes. A file system that reports nothing is assumed to have space. Errors: io.
void require_free_space(const std::string& path, std::int64_t bytes, const std::string& action);

}  // namespace sill
