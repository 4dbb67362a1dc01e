// Opens inputs on all ranks, and checks that all ranks see the same files.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// Local. Returns the number of threads on which files of several URLs are opened: each waits for its requests. 1 on
/// several ranks, whose calls of the communicator must be in one order.
[[nodiscard]] int threads_for_urls(const Resources& resources, std::span<const std::string> paths);

/// Collective, in one call of the communicator. Opens files for reading on every rank, and checks that the size and a
/// checksum of the first 3,600 and the last 4,096 bytes are the same on all ranks. Otherwise ranks that see different
/// files under one path (other working folders, stale mounts) would mix them in one output. Times and inodes are only
/// reported, because they may differ on file systems that cache attributes. Errors: io, also of opening; usage if ranks
/// name different numbers of files.
[[nodiscard]] std::vector<std::unique_ptr<Store>> open_on_all_ranks(const Resources& resources,
                                                                    std::span<const std::string> paths);

}  // namespace sill
