// Opening inputs on all ranks, and finding out whether they are the same files there.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// Collective, in one call of the communicator. Opens files for reading on every rank. Ranks that see different files
/// under one path (other working folders, stale mounts) would make one output of both: size and a checksum of the first
/// 3,600 and the last 4,096 bytes are to be the same on all. Times and inodes are only reported, as file systems that
/// cache attributes may differ in them. Errors: io, of opening too; usage if ranks name different numbers of files.
[[nodiscard]] std::vector<std::unique_ptr<Store>> open_on_all_ranks(const Resources& resources,
                                                                    std::span<const std::string> paths);

}  // namespace sill
