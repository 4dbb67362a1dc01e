// A rank's own bytes that need no stage: they are written from where they lie, or read to where they go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/move/schedule.hpp"

namespace sill {

/// A run of a file and its place in memory.
struct OwnRun {
  int file = 0;
  ByteRange bytes;
  std::byte* memory = nullptr;
};

/// Local. Whether a part is written from where it lies: its runs are long, and no encoder makes them.
[[nodiscard]] bool is_written_in_place(const Part& part);
/// Local. The runs of such parts, ascending, `distance_bytes` further on in the files than the parts.
[[nodiscard]] std::vector<OwnRun> runs_written_in_place(std::span<const StagedPart> own, std::int64_t distance_bytes);

/// Local. The runs of all own parts of a round of a read, ascending. None unless each can be read to its place in
/// memory, its bytes go nowhere else, and nothing else goes there.
[[nodiscard]] std::vector<OwnRun> runs_read_in_place(const Round& round);
/// Local. Lets decoders take what was read to its place. Errors: theirs.
void take_in_place(std::span<const StagedPart> own);
/// Local. Requests for `runs` alone, without the gaps between them that are longer than a page. Precondition:
/// `requests`, which ascend, hold all runs.
[[nodiscard]] std::vector<Segment> requests_without_gaps(std::span<const Segment> requests,
                                                         std::span<const OwnRun> runs);

}  // namespace sill
