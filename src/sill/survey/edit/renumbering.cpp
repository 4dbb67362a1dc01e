#include "sill/survey/edit/renumbering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/layout/near_ranges.hpp"
#include "sill/permute/ordered_sink.hpp"

namespace sill {
namespace {

constexpr std::int64_t starts_at_once = 4096;
// Maximum number of bytes per thread that a round reads and writes.
constexpr std::int64_t round_bytes_per_thread = 2 << 20;

// Passes over the headers of written traces, in windows of consecutive bytes.
class WrittenHeaders {
 public:
  WrittenHeaders(const Resources& resources, SurveyWriter& writer)
      : comm_(resources.comm),
        file_(run_and_agree(resources.comm, [&] { return writer.handle(); })),
        sink_(sink_of(writer.mover())),
        threads_(resources.threads()) {}

  /// Collective. Reads the headers of `traces`, calls `change(header)` for each in order, and writes them.
  template <class Change>
  void pass(ItemRange traces, const std::function<TraceStarts()>& starts_from_first, Change&& change) {
    left_ = traces;
    headers_.clear();
    windows_.clear();
    next_window_ = 0;
    run_and_agree(comm_, [&] {
      starts_ = starts_from_first();
      while (sink_.take && read_round(change)) {
        for_windows([&](const RangeWindow& window, std::byte* bytes) {
          sink_.take(window.bytes.offset, {bytes, static_cast<std::size_t>(window.bytes.length)});
        });
      }
    });
    if (sink_.take) return;
    for (bool reads = true; all_reduce(comm_, reads ? 1 : 0, Reduction::max) == 1;) {
      sink_.together->write(run_and_agree(comm_, [&] {
        reads = reads && read_round(change);
        std::vector<Extent> extents;
        for (std::size_t w = 0; reads && w < round_.size(); ++w) {
          extents.push_back(contiguous(0, round_[w].bytes, bytes_.data() + offsets_[w]));
        }
        return AccessPlan::for_writing(std::move(extents));
      }));
    }
    sink_.together->wait();
  }

 private:
  // Reads the next windows and changes their headers; returns false if there are none left.
  template <class Change>
  bool read_round(Change&& change) {
    if (next_window_ == windows_.size()) {
      if (left_.empty()) return false;
      std::vector<std::int64_t> begins(static_cast<std::size_t>(std::min(left_.count, starts_at_once * threads_)));
      starts_({left_.first, std::ssize(begins)}, begins);
      left_ = {left_.first + std::ssize(begins), left_.count - std::ssize(begins)};
      headers_.clear();
      for (const std::int64_t begin : begins) headers_.push_back({begin, renumbered_bytes});
      windows_ = windows_of(headers_);
      next_window_ = 0;
    }
    round_ = round_from(std::span(windows_).subspan(next_window_));
    next_window_ += round_.size();
    for_windows([&](const RangeWindow& window, std::byte* bytes) {
      read_at(*file_, window.bytes.offset, {bytes, static_cast<std::size_t>(window.bytes.length)});
    });
    for (std::size_t w = 0; w < round_.size(); ++w) {
      for (std::size_t i = round_[w].first; i < round_[w].first + round_[w].count; ++i) {
        change(bytes_.data() + offsets_[w] + (headers_[i].offset - round_[w].bytes.offset));
      }
    }
    return true;
  }

  // Returns as many windows as a round holds, at least one, and allocates space for their bytes.
  std::span<const RangeWindow> round_from(std::span<const RangeWindow> windows) {
    offsets_.clear();
    std::int64_t bytes = 0;
    for (const RangeWindow& window : windows) {
      if (bytes > 0 && bytes + window.bytes.length > round_bytes_per_thread * threads_) break;
      offsets_.push_back(bytes);
      bytes += window.bytes.length;
    }
    bytes_.resize(static_cast<std::size_t>(bytes));
    return windows.first(offsets_.size());
  }

  // Calls `work(window, bytes)` for the windows of the round, on several threads.
  template <class Work>
  void for_windows(Work&& work) {
    parallel_for(threads_, std::ssize(round_), [&](std::int64_t w, int /*thread*/) {
      work(round_[static_cast<std::size_t>(w)], bytes_.data() + offsets_[static_cast<std::size_t>(w)]);
    });
  }

  Communicator& comm_;
  std::shared_ptr<Store> file_;
  OrderedSink sink_;
  int threads_;
  TraceStarts starts_;
  ItemRange left_;
  std::vector<ByteRange> headers_;    // of the traces whose windows are being processed
  std::vector<RangeWindow> windows_;  // the windows of these headers
  std::size_t next_window_ = 0;
  std::span<const RangeWindow> round_;
  std::vector<std::int64_t> offsets_;  // offset in `bytes_` of each window of a round
  std::vector<std::byte> bytes_;
};

}  // namespace

void renumber(std::byte* header, ByteOrder order, std::int64_t in_file, std::int64_t in_ensemble) {
  if (in_file > std::numeric_limits<std::int32_t>::max())
    throw Error(
        {.code = ErrorCode::input,
         .problem = fmt::format("the trace would get the number {}, which a word of four bytes cannot store", in_file),
         .clause = "SEG-Y rev 1, trace header bytes 1-8",
         .action = "write the traces to several files, or do not renumber"});
  store<std::int32_t>(header + sequence_number_bytes.offset, static_cast<std::int32_t>(in_file), order);
  store<std::int32_t>(header + sequence_number_bytes.offset + 4, static_cast<std::int32_t>(in_file), order);
  store<std::int32_t>(header + number_in_ensemble_bytes.offset, static_cast<std::int32_t>(in_ensemble), order);
}

EnsembleEnds joined(const EnsembleEnds& first, const EnsembleEnds& second) {
  if (first.traces == 0) return second;
  return {first.traces + second.traces, first.first_ensemble, second.after(first.last)};
}

EnsembleRun run_before(Communicator& comm, const EnsembleEnds& own) {
  const std::vector<EnsembleEnds> all = all_gather(comm, own);
  EnsembleRun before;
  for (int rank = 0; rank < comm.rank(); ++rank) before = all[static_cast<std::size_t>(rank)].after(before);
  return before;
}

void renumber_written(const Resources& resources, SurveyWriter& writer, ItemRange own,
                      const std::function<TraceStarts()>& starts_from_first, ByteOrder order) {
  Communicator& comm = resources.comm;
  writer.share();
  resources.begin_stage("numbering traces", 0);
  std::int64_t trace = own.first;
  const auto number = [&](std::byte* header, EnsembleRun& run) {
    const auto ensemble = load<std::int32_t>(header + ensemble_number_bytes.offset, order);
    renumber(header, order, ++trace, run.add(ensemble));
    return ensemble;
  };
  EnsembleEnds ends;
  std::int64_t first_run = 0;
  EnsembleRun run;
  WrittenHeaders(resources, writer).pass(own, starts_from_first, [&](std::byte* header) {
    ends.add(number(header, run));
    if (ends.last.traces == ends.traces) first_run = ends.traces;
  });
  // An ensemble that began on a lower rank is numbered again from there.
  run = run_before(comm, ends);
  const bool goes_on = run.traces > 0 && run.ensemble == ends.first_ensemble;
  trace = own.first;
  writer.share();
  WrittenHeaders(resources, writer)
      .pass({own.first, goes_on ? first_run : 0}, starts_from_first, [&](std::byte* header) { number(header, run); });
}

void renumber_written(const Resources& resources, SurveyWriter& writer, std::int64_t traces, ByteOrder order) {
  const auto starts = [&](ItemRange range, std::span<std::int64_t> into) {
    for (std::int64_t i = 0; i < range.count; ++i)
      into[static_cast<std::size_t>(i)] = writer.bytes_of({range.first + i, 1}).offset;
  };
  renumber_written(
      resources, writer, block_of(traces, resources.comm.size(), resources.comm.rank()), [&] { return starts; }, order);
}

}  // namespace sill
