// How much room the file system of an output has.
#pragma once

#include <cstdint>
#include <string>

namespace sill {

/// Local. The bytes that this user may still write to the file system that holds `path`, which need not exist; 0 if the
/// system does not report. Quotas may allow less.
[[nodiscard]] std::int64_t free_space_bytes(const std::string& path);

/// Local. The blocks of which files take whole ones on the file system that holds `path`, which need not exist; 1 if
/// the system does not report. At most 4096: some report the largest of many sizes (ZFS, GPFS).
[[nodiscard]] std::int64_t block_bytes_of(const std::string& path);

/// Local. The bytes that a file of `bytes` takes, in whole blocks.
[[nodiscard]] constexpr std::int64_t in_whole_blocks(std::int64_t bytes, std::int64_t block_bytes) {
  return (bytes + block_bytes - 1) / block_bytes * block_bytes;
}

/// Local. Errors: io, with `action`, if the file system that holds `path`, which need not exist, reports that fewer
/// than `bytes` are free. One that reports nothing is taken to have room.
void require_free_space(const std::string& path, std::int64_t bytes, const std::string& action);

}  // namespace sill
