#include "sill/move/own_runs.hpp"

#include <algorithm>
#include <utility>

#include "sill/plan/coverage.hpp"
#include "sill/plan/rows.hpp"

namespace sill {
namespace {

// Shorter runs of a rank's own bytes are copied into its stage: a piece in a request costs about as much as copying
// such a run.
constexpr std::int64_t min_run_in_place_bytes = 4096;

void sort_by_place(std::vector<OwnRun>& runs) {
  std::ranges::sort(runs, {}, [](const OwnRun& run) { return std::pair(run.file, run.bytes.offset); });
}

}  // namespace

bool is_written_in_place(const Part& part) {
  return !part.extent->has_code() && part.extent->run_bytes >= min_run_in_place_bytes;
}

std::vector<OwnRun> runs_written_in_place(std::span<const StagedPart> own, std::int64_t distance_bytes) {
  std::vector<OwnRun> runs;
  for (const StagedPart& part : own) {
    if (!is_written_in_place(part)) continue;
    for_each_run(*part.extent, part.packed, [&](const ExtentRun& run) {
      const ByteRange bytes{run.in_file.offset + distance_bytes, run.in_file.length};
      runs.push_back({part.extent->file, bytes, run.memory});
    });
  }
  sort_by_place(runs);
  return runs;
}

std::vector<OwnRun> runs_read_in_place(const Round& round) {
  std::vector<OwnRun> runs;
  if (!round.inwards.empty()) return runs;
  bool fits = true;
  for (const StagedPart& part : round.own) {
    Decoder* const decoder = part.extent->decoder;
    if (part.extent->run_bytes < min_run_in_place_bytes) return {};
    for_each_run(*part.extent, part.packed, [&](const ExtentRun& run) {
      if (!fits) return;
      std::byte* const memory = decoder == nullptr ? run.memory : decoder->place_of(run.packed);
      fits = memory != nullptr;
      runs.push_back({part.extent->file, run.in_file, memory});
    });
    if (!fits) return {};
  }
  sort_by_place(runs);
  const auto overlap = [](const OwnRun& a, const OwnRun& b) {
    return a.file == b.file && b.bytes.offset < a.bytes.end();
  };
  if (std::ranges::adjacent_find(runs, overlap) != runs.end()) return {};
  std::vector<std::pair<std::uintptr_t, std::int64_t>> places;
  for (const OwnRun& run : runs) places.emplace_back(reinterpret_cast<std::uintptr_t>(run.memory), run.bytes.length);
  std::ranges::sort(places);
  const auto meet = [](const auto& a, const auto& b) {
    return b.first < a.first + static_cast<std::uintptr_t>(a.second);
  };
  if (std::ranges::adjacent_find(places, meet) != places.end()) return {};
  return runs;
}

void take_in_place(std::span<const StagedPart> own) {
  for (const StagedPart& part : own) {
    Decoder* const decoder = part.extent->decoder;
    if (decoder == nullptr) continue;
    for_each_run(*part.extent, part.packed, [&](const ExtentRun& run) {
      decoder->take(run.packed, {decoder->place_of(run.packed), static_cast<std::size_t>(run.packed.length)});
    });
  }
}

std::vector<Segment> requests_without_gaps(std::span<const Segment> requests, std::span<const OwnRun> runs) {
  std::vector<Segment> found;
  auto around = requests.begin();
  for (const OwnRun& run : runs) {
    const bool is_near = !found.empty() && found.back().file == run.file && run.bytes.end() <= around->bytes.end() &&
                         run.bytes.offset - found.back().bytes.end() <= gap_read_over_bytes;
    if (is_near) {
      found.back().bytes.length = run.bytes.end() - found.back().bytes.offset;
      continue;
    }
    while (around->file != run.file || around->bytes.end() < run.bytes.end()) ++around;
    found.push_back({run.file, run.bytes, around->stage_offset_bytes + run.bytes.offset - around->bytes.offset});
  }
  return found;
}

}  // namespace sill
