#include "sill/plan/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sill/base/error.hpp"
#include "sill/base/first_index.hpp"
#include "sill/plan/apart.hpp"
#include "sill/plan/fingerprint.hpp"
#include "sill/plan/rows.hpp"

namespace sill {
namespace {

// Size of the windows in which runs are listed if no faster test decides: at most this number of runs of one byte.
constexpr std::int64_t listed_window_bytes = 1 << 20;

// Maximum number of pairs of extents that are compared before runs are listed.
constexpr std::int64_t max_pairs = 1 << 16;

struct Run {
  ByteRange bytes;
  int rank = 0;
};

template <class Visit>
void for_each_part(int file, ByteRange window, std::span<const OwnedPlan> plans, Visit&& visit) {
  for (const OwnedPlan& owned : plans) {
    owned.plan->for_each_within(file, window,
                                [&](const Extent& extent, ByteRange packed) { visit(extent, packed, owned.rank); });
  }
}

// Returns true if the number of bytes written in the window equals its length and all bytes differ.
bool is_full(int file, ByteRange window, std::span<const OwnedPlan> plans) {
  std::int64_t bytes = 0;
  for_each_part(file, window, plans, [&](const Extent&, ByteRange packed, int) { bytes += packed.length; });
  if (bytes != window.length) return false;
  Fingerprint of_plans;
  for_each_part(file, window, plans,
                [&](const Extent& extent, ByteRange packed, int) { of_plans.add(extent, packed, window.offset); });
  Fingerprint of_window;
  of_window.add(contiguous(file, window, static_cast<std::byte*>(nullptr)), {0, window.length}, window.offset);
  return of_plans == of_window;
}

// Returns the runs of the window, ascending. With `solid`, runs of a row at most a page apart are treated as one.
std::vector<Run> runs_within(int file, ByteRange window, std::span<const OwnedPlan> plans, bool solid) {
  std::vector<Run> runs;
  for_each_part(file, window, plans, [&](const Extent& extent, ByteRange packed, int rank) {
    for_each_row(extent, packed, [&](const Row& row) {
      if (row.count > 1 && (row.file_stride_bytes == row.run_bytes ||
                            (solid && row.file_stride_bytes - row.run_bytes <= gap_read_over_bytes))) {
        runs.push_back({{row.file_offset_bytes, (row.count - 1) * row.file_stride_bytes + row.run_bytes}, rank});
        return;
      }
      for (std::int64_t i = 0; i < row.count; ++i) {
        runs.push_back({{row.file_offset_bytes + i * row.file_stride_bytes, row.run_bytes}, rank});
      }
    });
  });
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::tie(a.bytes.offset, a.rank) < std::tie(b.bytes.offset, b.rank);
  });
  return runs;
}

void require_disjoint_runs(int file, std::span<const Run> runs) {
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const Run& before = runs[i - 1];
    const Run& after = runs[i];
    if (before.bytes.end() <= after.bytes.offset) continue;
    throw Error({.code = ErrorCode::usage,
                 .problem = before.rank == after.rank
                                ? "a rank writes the same byte twice"
                                : fmt::format("ranks {} and {} both write the same byte",
                                              std::min(before.rank, after.rank), std::max(before.rank, after.rank)),
                 .where = {.byte = after.bytes.offset, .item = file + first_index(), .item_word = overlapped_file},
                 .action = "the pieces that the ranks write must not overlap: check how the data are distributed"});
  }
}

// Returns true if no two of the ascending extents share a byte; false if this is unknown without listing runs.
bool are_all_apart(std::span<const Extent* const> extents) {
  std::int64_t pairs_left = max_pairs;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::int64_t end = extents[i]->bounding_range().end();
    for (std::size_t j = i + 1; j < extents.size() && extents[j]->offset_bytes < end; ++j) {
      if (pairs_left-- == 0 || !are_apart(*extents[i], *extents[j])) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<ByteRange> written_within(int file, ByteRange window, std::span<const OwnedPlan> plans) {
  if (is_full(file, window, plans)) return {window};
  std::vector<ByteRange> covered;
  const auto add = [&](ByteRange bytes) {
    if (!covered.empty() && covered.back().end() == bytes.offset) {
      covered.back().length += bytes.length;
    } else {
      covered.push_back(bytes);
    }
  };
  for (std::int64_t at = window.offset; at < window.end(); at += listed_window_bytes) {
    const ByteRange part{at, std::min(listed_window_bytes, window.end() - at)};
    if (is_full(file, part, plans)) {
      add(part);
      continue;
    }
    const std::vector<Run> runs = runs_within(file, part, plans, false);
    require_disjoint_runs(file, runs);
    for (const Run& run : runs) add(run.bytes);
  }
  return covered;
}

std::vector<ByteRange> read_within(int file, ByteRange window, std::span<const OwnedPlan> plans) {
  std::vector<ByteRange> covered;
  std::int64_t wanted = 0;  // requested bytes in the last range
  for (const Run& run : runs_within(file, window, plans, true)) {
    if (!covered.empty()) {
      ByteRange& last = covered.back();
      const std::int64_t gap = run.bytes.offset - last.end();
      if (gap <= gap_read_over_bytes || last.length + gap - wanted <= wanted) {
        wanted += std::max<std::int64_t>(0, run.bytes.end() - std::max(last.end(), run.bytes.offset));
        last.length = std::max(last.end(), run.bytes.end()) - last.offset;
        continue;
      }
    }
    covered.push_back(run.bytes);
    wanted = run.bytes.length;
  }
  return covered;
}

void require_disjoint(int file, std::initializer_list<OwnedPlan> plans) {
  ByteRange window = plans.begin()->plan->bounding_range_of(file);
  for (const OwnedPlan& owned : plans) {
    const ByteRange bounding_range = owned.plan->bounding_range_of(file);
    const std::int64_t end = std::max(window.end(), bounding_range.end());
    window.offset = std::min(window.offset, bounding_range.offset);
    window.length = end - window.offset;
  }
  require_disjoint(file, window, std::span(plans.begin(), plans.size()));
}

void require_disjoint(int file, ByteRange window, std::span<const OwnedPlan> plans) {
  std::vector<const Extent*> extents;
  for_each_part(file, window, plans, [&](const Extent& extent, ByteRange, int) { extents.push_back(&extent); });
  std::sort(extents.begin(), extents.end(),
            [](const Extent* a, const Extent* b) { return a->offset_bytes < b->offset_bytes; });
  // Extents interleave only where their bounding ranges overlap. If no faster test decides, they are tested window by
  // window.
  for (std::size_t begin = 0; begin < extents.size();) {
    std::int64_t reach = extents[begin]->bounding_range().end();
    std::size_t end = begin + 1;
    while (end < extents.size() && extents[end]->offset_bytes < reach) {
      reach = std::max(reach, extents[end++]->bounding_range().end());
    }
    if (end - begin > 1 && !are_all_apart(std::span(extents).subspan(begin, end - begin))) {
      const std::int64_t last = std::min(reach, window.end());
      for (std::int64_t at = std::max(extents[begin]->offset_bytes, window.offset); at < last;) {
        std::int64_t next = last;
        for (const OwnedPlan& owned : plans) next = std::min(next, owned.plan->next_byte(file, at).value_or(last));
        if (next >= last) break;
        const ByteRange part{next, std::min(listed_window_bytes, last - next)};
        if (!is_full(file, part, plans)) require_disjoint_runs(file, runs_within(file, part, plans, false));
        at = part.end();
      }
    }
    begin = end;
  }
}

}  // namespace sill
