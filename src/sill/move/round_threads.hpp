// What of a round several threads of a rank do beside each other.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/move/schedule.hpp"

namespace sill {

/// Local. Runs of requests of about equal numbers for threads to perform beside each other. Requests for one file stay
/// together: the system performs them one after another anyway.
[[nodiscard]] std::vector<std::span<const Segment>> runs_of_files(std::span<const Segment> requests, int threads);

/// Local. Calls `move(part, i)` for part number i of `parts`; where its encoder is for threads, for pieces of it on
/// several. Errors: what `move` throws, of the first piece.
void by_threads(int threads, std::span<const StagedPart> parts,
                const std::function<void(const Part& piece, std::size_t number)>& move);

}  // namespace sill
