// Random accesses of several ranks to several files, and what they must come to, byte by byte.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "sill/plan/access_plan.hpp"

namespace sill::test {

/// What every rank wants and the memory it has.
struct Access {
  std::vector<AccessPlan> plans;               ///< by rank
  std::vector<std::vector<std::byte>> memory;  ///< by rank
};

/// Bytes of files by (file, offset).
using FileBytes = std::map<std::pair<int, std::int64_t>, std::byte>;

namespace detail {

using Random = std::mt19937_64;

inline std::int64_t up_to(Random& random, std::int64_t most) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
}

/// Gives the extents of each rank disjoint places in its memory, in random order and with gaps, and fills the memory.
inline Access placed(Random& random, std::vector<std::vector<Extent>> extents, bool writing) {
  Access access;
  for (auto& of_rank : extents) {
    const bool shuffled = random() % 2 == 0;
    if (shuffled) std::shuffle(of_rank.begin(), of_rank.end(), random);
    std::int64_t at = 0;
    for (Extent& extent : of_rank) {
      if (random() % 4 == 0) at += up_to(random, 5);
      extent.memory_offset_bytes = at;
      at += extent.bytes.length;
    }
    std::vector<std::byte> memory(static_cast<std::size_t>(at + up_to(random, 5)));
    for (std::byte& byte : memory) byte = static_cast<std::byte>(random() % 256);
    access.memory.push_back(std::move(memory));
    access.plans.push_back(writing ? AccessPlan::for_writing(of_rank) : AccessPlan::for_reading(of_rank));
  }
  return access;
}

}  // namespace detail

/// Local. A write by `ranks` ranks to up to 3 files: pieces of up to `longest` bytes, disjoint, some adjacent; ranks
/// may hold nothing. Equal seeds give equal accesses.
[[nodiscard]] inline Access random_write(std::uint64_t seed, std::size_t ranks, std::int64_t longest) {
  detail::Random random(seed);
  std::vector<std::vector<Extent>> extents(ranks);
  const int files = static_cast<int>(1 + random() % 3);
  const std::size_t holders = 1 + random() % ranks;  // only some of the ranks, not always the lowest
  const std::size_t first_holder = random() % ranks;
  for (int file = 0; file < files; ++file) {
    std::int64_t offset = 0;
    for (auto pieces = detail::up_to(random, 12); pieces > 0; --pieces) {
      if (random() % 3 == 0) offset += detail::up_to(random, longest);
      const std::int64_t length = detail::up_to(random, longest);
      extents[(first_holder + random() % holders) % ranks].push_back({file, {offset, length}, 0});
      offset += length;
    }
  }
  return detail::placed(random, std::move(extents), true);
}

/// Local. A read by `ranks` ranks of up to 3 files of `file_bytes` each: anything, overlapping within a rank and
/// between ranks.
[[nodiscard]] inline Access random_read(std::uint64_t seed, std::size_t ranks, std::int64_t longest,
                                        std::int64_t file_bytes) {
  detail::Random random(seed);
  std::vector<std::vector<Extent>> extents(ranks);
  for (auto& of_rank : extents) {
    for (auto pieces = detail::up_to(random, 8); pieces > 0; --pieces) {
      const std::int64_t length = detail::up_to(random, std::min(longest, file_bytes));
      const int file = static_cast<int>(random() % 3);
      of_rank.push_back({file, {detail::up_to(random, file_bytes - length), length}, 0});
    }
  }
  return detail::placed(random, std::move(extents), false);
}

/// Local. Every byte that a write must have written, and no other.
[[nodiscard]] inline FileBytes written_by(const Access& access) {
  FileBytes bytes;
  for (std::size_t rank = 0; rank < access.plans.size(); ++rank) {
    for (const Extent& extent : access.plans[rank].extents()) {
      for (std::int64_t i = 0; i < extent.bytes.length; ++i) {
        bytes[{extent.file, extent.bytes.offset + i}] =
            access.memory[rank][static_cast<std::size_t>(extent.memory_offset_bytes + i)];
      }
    }
  }
  return bytes;
}

/// Local. What rank `rank`'s memory must hold after a read of `files` (by number): what no extent covers is as before.
[[nodiscard]] inline std::vector<std::byte> read_by(const Access& access, std::size_t rank,
                                                    const std::vector<std::vector<std::byte>>& files) {
  std::vector<std::byte> memory = access.memory[rank];
  for (const Extent& extent : access.plans[rank].extents()) {
    for (std::int64_t i = 0; i < extent.bytes.length; ++i) {
      memory[static_cast<std::size_t>(extent.memory_offset_bytes + i)] =
          files[static_cast<std::size_t>(extent.file)][static_cast<std::size_t>(extent.bytes.offset + i)];
    }
  }
  return memory;
}

}  // namespace sill::test
