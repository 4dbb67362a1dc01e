// Which bytes of a file several plans touch together, and that no two write the same.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "sill/plan/ordered_extents.hpp"

namespace sill {

/// The extents of a plan and the rank it is of.
struct OwnedPlan {
  const OrderedExtents* plan = nullptr;
  int rank = 0;
};

/// What `Where::item` counts in errors of overlapping extents: the files of a plan. `Where::byte` is the byte.
inline constexpr const char* overlapped_file = "number of the file";

/// Local. The bytes of `window` of file `file` that the plans write: ranges that ascend and do not touch. A window that
/// is written without gaps, the usual case, is recognized without listing its runs: as many bytes as it is long, and a
/// sum over their places equal to its own (docs/adr/0016-full-windows.md). Errors: usage, naming ranks and byte, if two
/// extents overlap.
[[nodiscard]] std::vector<ByteRange> written_within(int file, ByteRange window, std::span<const OwnedPlan> plans);

/// Gaps up to this are read over: the system reads whole pages anyhow.
inline constexpr std::int64_t gap_read_over_bytes = 4096;

/// Local. The bytes that the plans read in `window`, which may overlap: ranges that ascend. Gaps are read over where
/// that costs less than another request: always up to a page of 4 KiB, wider ones while no more bytes are wasted than
/// wanted.
[[nodiscard]] std::vector<ByteRange> read_within(int file, ByteRange window, std::span<const OwnedPlan> plans);

/// Local. Errors: usage, naming ranks and byte, if two extents of the plans overlap in file `file`, within `window` if
/// one is given.
void require_disjoint(int file, std::initializer_list<OwnedPlan> plans);
void require_disjoint(int file, ByteRange window, std::span<const OwnedPlan> plans);

}  // namespace sill
