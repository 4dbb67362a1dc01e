// A rank's own bytes that need no stage: they are written directly from memory, or read directly into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/move/schedule.hpp"

namespace sill {

/// A run of a file and its address in memory.
struct OwnRun {
  int file = 0;
  ByteRange bytes;
  std::byte* memory = nullptr;
};

/// Local. Returns true if a part is written directly from memory: its runs are long, and it has no encoder.
[[nodiscard]] bool is_written_in_place(const Part& part);
/// Local. Returns the runs of the parts in `own` that are written in place, in ascending order, shifted by
/// `distance_bytes` in the files.
[[nodiscard]] std::vector<OwnRun> runs_written_in_place(std::span<const StagedPart> own, std::int64_t distance_bytes);

/// Local. Returns the runs of all own parts of a read round, in ascending order. Returns none unless each run can be
/// read directly into memory, no two runs overlap in a file or in memory, and no other rank needs bytes of the round.
[[nodiscard]] std::vector<OwnRun> runs_read_in_place(const Round& round);
/// Local. Passes bytes that were read directly into memory to their decoders. Errors: any error that a decoder throws.
void take_in_place(std::span<const StagedPart> own);
/// Local. Returns requests only for `runs`, without the gaps between them that are longer than a page. Precondition:
/// `requests` are in ascending order and contain all runs.
[[nodiscard]] std::vector<Segment> requests_without_gaps(std::span<const Segment> requests,
                                                         std::span<const OwnRun> runs);

}  // namespace sill
