#include "sill/survey/edit/renumbering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/layout/near_ranges.hpp"
#include "sill/survey/output/who_writes.hpp"

namespace sill {
namespace {

constexpr std::int64_t starts_at_once = 4096;
// What a thread reads and writes at once, the threads together a round.
constexpr std::int64_t round_bytes_per_thread = 2 << 20;

// Passes over the headers of written traces, window by window.
class WrittenHeaders {
 public:
  WrittenHeaders(const Resources& resources, Store& file) : file_(file), threads_(resources.threads()) {}

  /// Reads the headers of `traces`, lets `change(header)` see each in order, and writes them.
  template <class Change>
  void pass(ItemRange traces, const TraceStarts& starts, Change&& change) {
    std::vector<std::int64_t> begins;
    std::vector<ByteRange> headers;
    for (std::int64_t next = traces.first; next < traces.end(); next += std::ssize(headers)) {
      begins.resize(static_cast<std::size_t>(std::min(traces.end() - next, starts_at_once * threads_)));
      starts({next, std::ssize(begins)}, begins);
      headers.clear();
      for (const std::int64_t begin : begins) headers.push_back({begin, renumbered_bytes});
      const std::vector<RangeWindow> windows = windows_of(headers);
      for (std::size_t first = 0; first < windows.size();) {
        const std::span<const RangeWindow> round = round_from(std::span(windows).subspan(first));
        submit(Operation::read, round);
        for (std::size_t w = 0; w < round.size(); ++w)
          for (std::size_t i = round[w].first; i < round[w].first + round[w].count; ++i)
            change(bytes_.data() + offsets_[w] + (headers[i].offset - round[w].bytes.offset));
        submit(Operation::write, round);
        first += round.size();
      }
    }
  }

 private:
  // As many windows as a round holds, at least one; makes room for their bytes.
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

  void submit(Operation operation, std::span<const RangeWindow> windows) {
    parallel_for(threads_, std::ssize(windows), [&](std::int64_t w, int /*thread*/) {
      const RangeWindow& window = windows[static_cast<std::size_t>(w)];
      const iovec piece{bytes_.data() + offsets_[static_cast<std::size_t>(w)],
                        static_cast<std::size_t>(window.bytes.length)};
      const Request request{operation, window.bytes.offset, {&piece, 1}};
      file_.submit({&request, 1});
    });
  }

  Store& file_;
  int threads_;
  std::vector<std::int64_t> offsets_;  // of each window of a round in `bytes_`
  std::vector<std::byte> bytes_;
};

}  // namespace

void renumber(std::byte* header, ByteOrder order, std::int64_t in_file, std::int64_t in_ensemble) {
  if (in_file > std::numeric_limits<std::int32_t>::max())
    throw Error(
        {.code = ErrorCode::input,
         .problem = fmt::format("the trace would get the number {}, which a word of four bytes cannot hold", in_file),
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
  Store& file = *run_and_agree(comm, [&] { return &writer.store(); });
  resources.begin_stage("numbering traces", 0);
  WrittenHeaders written(resources, file);
  std::int64_t trace = own.first;
  const auto number = [&](std::byte* header, EnsembleRun& run) {
    const auto ensemble = load<std::int32_t>(header + ensemble_number_bytes.offset, order);
    renumber(header, order, ++trace, run.add(ensemble));
    return ensemble;
  };
  EnsembleEnds ends;
  std::int64_t first_run = 0;
  run_and_agree(comm, [&] {
    EnsembleRun run;
    written.pass(own, starts_from_first(), [&](std::byte* header) {
      ends.add(number(header, run));
      if (ends.last.traces == ends.traces) first_run = ends.traces;
    });
  });
  // An ensemble that a rank before has begun is numbered on from there.
  const EnsembleRun before = run_before(comm, ends);
  run_and_agree(comm, [&] {
    if (before.traces == 0 || before.ensemble != ends.first_ensemble) return;
    EnsembleRun run = before;
    trace = own.first;
    written.pass({own.first, first_run}, starts_from_first(), [&](std::byte* header) { number(header, run); });
  });
}

void renumber_written(const Resources& resources, SurveyWriter& writer, std::int64_t traces, ByteOrder order) {
  const auto starts = [&](ItemRange range, std::span<std::int64_t> into) {
    for (std::int64_t i = 0; i < range.count; ++i)
      into[static_cast<std::size_t>(i)] = writer.bytes_of({range.first + i, 1}).offset;
  };
  renumber_written(
      resources, writer, block_to_write(resources, traces), [&] { return starts; }, order);
}

}  // namespace sill
