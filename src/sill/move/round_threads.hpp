// Multithreaded packing and request submission within a round.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/move/schedule.hpp"

namespace sill {

/// Local. Splits requests into runs of about equal length, which threads can perform at the same time. Requests for one
/// file stay in one run: the system performs them one after another anyway.
[[nodiscard]] std::vector<std::span<const Segment>> runs_of_files(std::span<const Segment> requests, int threads);

/// Local. Calls `move(part, i)` for the part with index i of `parts`. A part with a thread-safe encoder may be split
/// into pieces, which several threads pass to `move`. Errors: the error of the first piece for which `move` throws.
void by_threads(int threads, std::span<const StagedPart> parts,
                const std::function<void(const Part& piece, std::size_t number)>& move);

}  // namespace sill
