// The bytes of a file that several plans access together, and the test that no two write the same byte.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "sill/plan/ordered_extents.hpp"

namespace sill {

/// The extents of a plan, and its rank.
struct OwnedPlan {
  const OrderedExtents* plan = nullptr;
  int rank = 0;
};

/// The word for `Where::item` in errors about overlapping extents: the number of the file in the plan.
inline constexpr const char* overlapped_file = "number of the file";

/// Local. Returns the bytes of `window` of file `file` that the plans write: ascending ranges that do not touch. A
/// window that is written without gaps, the usual case, is recognized without listing its runs: the number of bytes
/// equals its length, and a sum over their positions equals the sum of the window (docs/adr/0016-full-windows.md).
/// Errors: usage, with ranks and byte, if two extents overlap.
[[nodiscard]] std::vector<ByteRange> written_within(int file, ByteRange window, std::span<const OwnedPlan> plans);

/// Gaps up to this size are read together with their neighbours, because the system reads complete pages anyway.
inline constexpr std::int64_t gap_read_over_bytes = 4096;

/// Local. Returns the bytes of `window` that the plans read, as ascending ranges; the plans may overlap. Gaps are
/// included if reading them costs less than another request: always up to a page of 4 KiB; wider gaps as long as the
/// unneeded bytes do not exceed the requested bytes.
[[nodiscard]] std::vector<ByteRange> read_within(int file, ByteRange window, std::span<const OwnedPlan> plans);

/// Local. Throws if two extents of the plans overlap in file `file`, within `window` if given. Errors: usage, with
/// ranks and byte.
void require_disjoint(int file, std::initializer_list<OwnedPlan> plans);
void require_disjoint(int file, ByteRange window, std::span<const OwnedPlan> plans);

}  // namespace sill
