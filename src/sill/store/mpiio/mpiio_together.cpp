#include "sill/store/mpiio/mpiio_together.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/plan/rows.hpp"

namespace sill {
namespace {

constexpr std::int64_t smallest_window_bytes = 64 * 1024;
// Number of windows whose sums are reduced in one message.
constexpr std::int64_t windows_at_once = 4096;
constexpr std::size_t fields_of_summary = 4;

// The parts of a rank's extents, window by window in ascending order.
class Windows {
 public:
  explicit Windows(std::span<const Extent> extents) : extents_(extents) {}

  // Returns the parts within the next window. The parts of one extent ascend; parts of different extents may
  // interleave.
  std::span<const Part> next(ByteRange window) {
    while (upcoming_ < extents_.size() && extents_[upcoming_].offset_bytes < window.end()) {
      open_.push_back(&extents_[upcoming_++]);
    }
    std::erase_if(open_, [&](const Extent* extent) { return extent->bounding_range().end() <= window.offset; });
    parts_.clear();
    for (const Extent* extent : open_) {
      const ByteRange packed = extent->packed_within(window);
      if (!packed.empty()) parts_.push_back({extent, packed});
    }
    return parts_;
  }

 private:
  std::span<const Extent> extents_;
  std::size_t upcoming_ = 0;
  std::vector<const Extent*> open_;
  std::vector<Part> parts_;
};

std::int64_t bytes_of(std::span<const Part> parts) {
  std::int64_t bytes = 0;
  for (const Part& part : parts) bytes += part.packed.length;
  return bytes;
}

bool do_ascend(std::span<const Part> parts) {
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].bounding_range().offset < parts[i - 1].bounding_range().end()) return false;
  }
  return true;
}

}  // namespace

MpiioTogether::MpiioTogether(std::unique_ptr<MpiRanks> ranks, std::unique_ptr<Store> posix, std::string path,
                             bool writable, const MpiioHints& hints, MpiioHintReport* report)
    : MpiioStore(std::move(posix), std::move(path), writable, hints, report),
      ranks_(std::move(ranks)),
      writable_(writable) {}

bool MpiioTogether::open_shared() {
  if (ranks_->size() == 1) return true;
  const std::optional<Error> failure = attempt([&] {
    const auto ranks = static_cast<std::size_t>(ranks_->size());
    numbers_.resize(fields_of_summary * ranks);
    summaries_.resize(ranks);
    sums_.reserve(windows_at_once);
    shared_.emplace(ranks_->get(), path(), writable_, hints());
    if (ranks_->rank() == 0) report_hints(*shared_);
  });
  const bool opened = ranks_->all(!failure);
  if (!opened && shared_) (void)shared_->close();  // MPI opens it on all ranks or on none
  if (failure) throw *failure;
  return opened;
}

void MpiioTogether::close() {
  const bool closed = !shared_ || shared_->close();
  ranks_.reset();
  MpiioStore::close();
  if (!closed) {
    throw Error({.code = ErrorCode::io, .problem = "MPI-IO failed to close the file", .where = {.file = name()}});
  }
}

MpiioTogether::Summary MpiioTogether::summary_of(std::span<const Extent> extents) {
  Summary mine;
  for (const Extent& extent : extents) {
    const std::int64_t bytes = extent.total_bytes();
    if (bytes == 0) continue;
    const ByteRange bounding_range = extent.bounding_range();
    mine.begin = mine.bytes == 0 ? bounding_range.offset : std::min(mine.begin, bounding_range.offset);
    mine.end = std::max(mine.end, bounding_range.end());
    mine.bytes += bytes;
    mine.runs += bytes / extent.run_bytes;
  }
  return mine;
}

void MpiioTogether::gather_summaries(const Summary& mine) {
  ranks_->all_gather(std::array{mine.begin, mine.end, mine.bytes, mine.runs}, numbers_);
  for (std::size_t i = 0; i < summaries_.size(); ++i) {
    const std::int64_t* const of_rank = &numbers_[i * fields_of_summary];
    summaries_[i] = {of_rank[0], of_rank[1], of_rank[2], of_rank[3]};
  }
  std::sort(summaries_.begin(), summaries_.end(), [](const Summary& a, const Summary& b) {
    return a.bytes > 0 && b.bytes > 0 ? a.begin < b.begin : a.bytes > 0 && b.bytes == 0;
  });
}

// Returns true if the bounding ranges of some ranks overlap. If they do not, each rank can write independently.
bool MpiioTogether::are_interleaved() const {
  for (std::size_t i = 1; i < summaries_.size() && summaries_[i].bytes > 0; ++i) {
    if (summaries_[i].begin < summaries_[i - 1].end) return true;
  }
  return false;
}

void MpiioTogether::submit_collective(Operation operation, std::span<const Extent> extents) {
  // Reads are not collective: a rank whose read fails within ROMIO leaves the others waiting.
  if (operation == Operation::read || ranks_->size() == 1) {
    submit_extents(operation, extents);
    return;
  }
  // From here, a rank that fails continues with no extents.
  std::optional<Error> failure = attempt([&] {
    require_sound_mpiio();
    packed_.reserve(static_cast<std::size_t>(std::min(summary_of(extents).bytes, hints().buffer_bytes)));
  });
  if (failure) extents = {};
  gather_summaries(summary_of(extents));
  const std::optional<Error> failed =
      are_interleaved() ? write_windows(extents) : attempt([&] { submit_extents(operation, extents); });
  packed_ = {};  // hundreds of files may be open
  keep_first(failure, failed);
  if (failure) throw *failure;
}

// Writes window by window. Each window is short enough for one round of ROMIO: with several rounds, an error in the
// first leaves ranks waiting. A window with gaps, which ROMIO would write back, is not passed to ROMIO.
std::optional<Error> MpiioTogether::write_windows(std::span<const Extent> extents) {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = 0;
  std::int64_t bytes = 0;
  std::int64_t runs = 0;
  for (const Summary& rank : summaries_) {
    if (rank.bytes == 0) continue;
    begin = std::min(begin, rank.begin);
    end = std::max(end, rank.end);
    bytes += rank.bytes;
    runs += rank.runs;
  }
  const std::int64_t window_bytes =
      std::min(hints().buffer_bytes,
               std::max(smallest_window_bytes, std::min(bytes / runs, hints().buffer_bytes) * runs_per_call));

  std::optional<Error> failure;
  Windows counted(extents);
  Windows written(extents);
  for (std::int64_t first = begin; first < end; first += windows_at_once * window_bytes) {
    const std::int64_t windows = std::min(windows_at_once, (end - first + window_bytes - 1) / window_bytes);
    const auto window = [&](std::int64_t i) {
      const std::int64_t at = first + i * window_bytes;
      return ByteRange{at, std::min(window_bytes, end - at)};
    };
    sums_.assign(static_cast<std::size_t>(windows), 0);
    if (end - begin <= window_bytes) {
      sums_.front() = bytes;  // from the summaries
    } else {
      keep_first(failure, attempt([&] {
                   for (std::int64_t i = 0; i < windows; ++i)
                     sums_[static_cast<std::size_t>(i)] = bytes_of(counted.next(window(i)));
                 }));
      ranks_->sum(sums_);
    }
    for (std::int64_t i = 0; i < windows; ++i) {
      const std::int64_t sum = sums_[static_cast<std::size_t>(i)];
      if (sum == 0) continue;
      std::span<const Part> parts;
      keep_first(failure, attempt([&] { parts = written.next(window(i)); }));
      keep_first(failure, sum == window(i).length ? write_together(parts, window(i)) : attempt([&] {
                   submit_extents(Operation::write, extents_of(parts));
                 }));
    }
  }
  return failure;
}

std::optional<Error> MpiioTogether::write_together(std::span<const Part> parts, ByteRange window) {
  MpiType type;
  packed_.clear();
  std::optional<Error> failure = attempt([&] {
    packed_.resize(static_cast<std::size_t>(bytes_of(parts)));
    type = pack(parts, window.offset);
  });
  if (failure) packed_.clear();
  const bool done = shared_->write_together(type, window.offset, packed_);
  if (!done && !failure) failure = attempt([&] { posix().submit_extents(Operation::write, extents_of(parts)); });
  return failure;
}

// Fills `packed_` in file order and returns the file positions.
MpiType MpiioTogether::pack(std::span<const Part> parts, std::int64_t base) {
  if (parts.empty()) return {};
  if (!do_ascend(parts)) return pack_runs(parts, base);
  std::size_t at = 0;
  for (const Part& part : parts) {
    const auto length = static_cast<std::size_t>(part.packed.length);
    sill::pack(part, std::span(packed_).subspan(at, length));
    at += length;
  }
  return file_type(extents_of(parts), base);
}

// Packs extents of one rank that interleave, such as fields of a record. A window has few enough runs to list them.
MpiType MpiioTogether::pack_runs(std::span<const Part> parts, std::int64_t base) {
  struct Run {
    ByteRange file;
    const std::byte* memory;
  };
  std::vector<Run> runs;
  for (const Part& part : parts) {
    for_each_row(*part.extent, part.packed, [&](const Row& row) {
      for (std::int64_t i = 0; i < row.count; ++i) {
        runs.push_back({{row.file_offset_bytes + i * row.file_stride_bytes, row.run_bytes},
                        row.memory + i * row.memory_stride_bytes});
      }
    });
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.file.offset < b.file.offset; });
  std::vector<ByteRange> places;
  std::byte* at = packed_.data();
  for (const Run& run : runs) {
    std::memcpy(at, run.memory, static_cast<std::size_t>(run.file.length));
    at += run.file.length;
    if (!places.empty() && places.back().end() == run.file.offset) {
      places.back().length += run.file.length;
    } else {
      places.push_back(run.file);
    }
  }
  return file_type(places, base);
}

}  // namespace sill
