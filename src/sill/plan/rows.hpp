// Visits an extent row by row.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "sill/plan/extent.hpp"

namespace sill {

/// The maximum number of steps of an extent; AccessPlan refuses more.
inline constexpr std::size_t max_steps = 16;

/// Consecutive runs of an extent with a constant stride, which one inner loop moves.
struct Row {
  std::int64_t file_offset_bytes = 0;
  std::int64_t packed_offset_bytes = 0;  ///< in the extent's bytes without gaps
  std::byte* memory = nullptr;           ///< null if the extent's is null
  std::int64_t run_bytes = 0;
  std::int64_t count = 1;
  std::int64_t file_stride_bytes = 0;
  std::int64_t memory_stride_bytes = 0;
};

/// Local. Calls `visit(row)` for the rows that contain bytes `packed` of `extent`, counted from its first byte without
/// gaps; rows ascend in the file. A run that is only partly requested is a row of its own. Preconditions: the extent is
/// as in an AccessPlan; 0 <= packed.offset, packed.end() <= extent.total_bytes().
template <class Visit>
void for_each_row(const Extent& extent, ByteRange packed, Visit&& visit) {
  if (packed.empty()) return;
  const std::size_t levels = extent.steps.size();
  const bool addressed = extent.memory != nullptr;

  const Step* const steps = extent.steps.begin();
  // A complete extent with one step; programs have thousands of these.
  if (levels == 1 && packed.offset == 0 && packed.length == extent.run_bytes * steps[0].count) {
    visit(Row{extent.offset_bytes, 0, extent.memory, extent.run_bytes, steps[0].count, steps[0].file_stride_bytes,
              steps[0].memory_stride_bytes});
    return;
  }

  // The position of the first byte: one index per step, and the offset within its run.
  std::array<std::int64_t, max_steps> index;
  std::fill_n(index.begin(), levels, 0);
  std::int64_t rest = packed.offset;
  std::int64_t file_offset = extent.offset_bytes;
  std::int64_t memory_offset = 0;
  if (rest > 0) {
    std::int64_t bytes_inside = extent.run_bytes;
    for (std::size_t level = 0; level < levels; ++level) bytes_inside *= steps[level].count;
    for (std::size_t level = 0; level < levels; ++level) {
      bytes_inside /= steps[level].count;
      index[level] = rest / bytes_inside;
      rest -= index[level] * bytes_inside;
      file_offset += index[level] * steps[level].file_stride_bytes;
      memory_offset += index[level] * steps[level].memory_stride_bytes;
    }
  }

  const Step single{1, 0, 0};
  const Step& inner = levels > 0 ? steps[levels - 1] : single;
  std::int64_t at = packed.offset;
  while (true) {
    Row row{file_offset + rest, at, nullptr, 0, 1, inner.file_stride_bytes, inner.memory_stride_bytes};
    if (addressed) row.memory = extent.memory + memory_offset + rest;
    const std::int64_t left = packed.end() - at;
    if (rest > 0 || left < extent.run_bytes) {
      row.run_bytes = std::min(left, extent.run_bytes - rest);
      rest = 0;
    } else {
      row.run_bytes = extent.run_bytes;
      const std::int64_t in_row = levels > 0 ? inner.count - index[levels - 1] : 1;
      row.count = left >= in_row * extent.run_bytes ? in_row : left / extent.run_bytes;
    }
    visit(row);
    at += row.run_bytes * row.count;
    if (at == packed.end()) return;

    // Advances to the next run: the innermost step first, carrying outwards.
    std::int64_t advance = row.count;
    for (std::size_t level = levels; level-- > 0;) {
      const Step& step = steps[level];
      index[level] += advance;
      file_offset += advance * step.file_stride_bytes;
      memory_offset += advance * step.memory_stride_bytes;
      if (index[level] < step.count) break;
      file_offset -= step.count * step.file_stride_bytes;
      memory_offset -= step.count * step.memory_stride_bytes;
      index[level] = 0;
      advance = 1;
    }
  }
}

/// One run of an extent, or the requested section of it.
struct ExtentRun {
  ByteRange in_file;
  ByteRange packed;             ///< in the extent's bytes without gaps
  std::byte* memory = nullptr;  ///< null if the extent's is null
};

/// Local. Calls `visit(run)` for each run. Preconditions: as for_each_row.
template <class Visit>
void for_each_run(const Extent& extent, ByteRange packed, Visit&& visit) {
  for_each_row(extent, packed, [&](const Row& row) {
    for (std::int64_t i = 0; i < row.count; ++i) {
      visit(ExtentRun{{row.file_offset_bytes + i * row.file_stride_bytes, row.run_bytes},
                      {row.packed_offset_bytes + i * row.run_bytes, row.run_bytes},
                      row.memory == nullptr ? nullptr : row.memory + i * row.memory_stride_bytes});
    }
  });
}

}  // namespace sill
