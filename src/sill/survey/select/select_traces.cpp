#include "sill/survey/select/select_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {
namespace {

constexpr std::int64_t traces_per_visit = std::int64_t{1} << 17;

// A list of this size is always allowed: it is small compared with the memory of any program, and the estimate of the
// remaining memory is no more accurate.
constexpr std::int64_t min_list_bytes = 4 << 20;

// Visits batches of traces. Results of several threads are sorted batch by batch.
template <class Visit>
void for_each_part(ItemRange traces, const Visit& visit) {
  for (std::int64_t first = traces.first; first < traces.end(); first += traces_per_visit)
    visit(ItemRange{first, std::min(traces_per_visit, traces.end() - first)});
}

// Visits the numbers of the traces of a list, batch by batch.
template <class Visit>
void for_each_part(const TraceList& list, const Visit& visit) {
  std::vector<std::int64_t> numbers;
  TraceList::Cursor cursor(list);
  for (std::int64_t left = list.count(); left > 0; left -= std::ssize(numbers)) {
    numbers.resize(static_cast<std::size_t>(std::min(traces_per_visit, left)));
    for (std::int64_t& number : numbers) number = cursor.next().trace;
    visit(std::span<const std::int64_t>(numbers));
  }
}

class Choice {
 public:
  Choice(const Resources& resources, const SurveyReader& reader, const segy::Expression* where,
         const segy::TimeWindow* window)
      : resources_(resources), comm_(resources.comm), reader_(reader), where_(where), window_(window) {
    if (window_ == nullptr) return;
    delay_.emplace(reader.words());
    const segy::MapWord* const interval = reader.words().find("dt");
    states_interval_ =
        !reader.assumptions().interval_us && interval != nullptr && interval->byte == segy::interval_at + 1;
  }

  [[nodiscard]] bool needs_headers() const {
    return !joined(where_ != nullptr ? where_->needed_bytes() : ByteRange{}, time_bytes()).empty();
  }

  // Collective. Returns this rank's traces; evaluates the condition for every header.
  TraceList scanned() {
    return run_and_agree(comm_, [&] {
      TraceList list;
      const ItemRange block = block_of(reader_.traces(), comm_.size(), comm_.rank());
      ByThread found(static_cast<std::size_t>(resources_.threads()));
      visit_where_in_parts(
          reader_, block, where_, time_bytes(), resources_.threads(),
          [&](std::int64_t trace, const segy::HeaderView& header, int thread) {
            found[static_cast<std::size_t>(thread)].push_back(taken(trace, header));
          },
          [&] {
            for (const SelectedTrace& trace : in_order(found)) list.add(trace);
            require_room_for_list(resources_, reader_, list.bytes());
          });
      return list;
    });
  }

  // Collective. Returns the same traces by the words that indexes store, or nullopt if the indexes do not store
  // all required words, or contradict the headers of the traces found.
  std::optional<TraceList> indexed(TraceSearch& search) const {
    const std::optional<segy::WholeNumbers> inputs = where_->whole_numbers();
    if (!inputs || inputs->words.empty() || !reader_.has_index_words(inputs->words) ||
        time_bytes().end() > segy::trace_header_bytes)
      return std::nullopt;
    std::atomic<std::int64_t> first_misfit{std::numeric_limits<std::int64_t>::max()};
    TraceList confirmed;
    try {
      const TraceList mine = distributed(comm_, run_and_agree(comm_, [&] { return stored_to_match(); }));
      confirmed = run_and_agree(comm_, [&] {
        return looked_at(mine, [&](std::int64_t trace, const segy::HeaderView& header) {
          if (where_->holds(header)) return true;
          std::int64_t first = first_misfit.load();
          while (trace < first && !first_misfit.compare_exchange_weak(first, trace)) {
          }
          return false;
        });
      });
      search.headers_read += all_reduce(comm_, mine.count(), Reduction::sum);
    } catch (const Error& error) {
      require_known_to_all(comm_, error);
      search.why_not = fmt::format("the index next to a file cannot be used: {}", error.parts().problem);
      return std::nullopt;  // an error that is not from the index will occur again
    }
    const std::int64_t misfit = all_reduce(comm_, first_misfit.load(), Reduction::min);
    search.indexed = misfit == std::numeric_limits<std::int64_t>::max();
    if (search.indexed) return confirmed;
    search.why_not =
        fmt::format("trace {} has other numbers than the index next to its file", format_count(misfit + 1));
    return std::nullopt;
  }

  // Collective. Returns the same traces without reading every header, or nothing if this is not possible. `search`
  // reports how.
  std::optional<TraceList> sought(TraceSearch& search, const HeadersRead& headers) {
    SeekTraces seeking(resources_, reader_, *where_, time_bytes(), headers);
    std::optional<TraceList> all;
    if (auto found = seeking.find()) {
      TraceList own = run_and_agree(comm_, [&] { return whole(*found); });
      found.reset();
      const TraceList mine = distributed(comm_, std::move(own));
      all = run_and_agree(comm_, [&] {
        return looked_at(
            mine, [&](std::int64_t trace, const segy::HeaderView& header) { return seeking.confirms(trace, header); });
      });
      if (!seeking.all_confirmed()) all.reset();
    }
    const std::int64_t headers_read = search.headers_read;
    search = seeking.search();
    search.headers_read += headers_read;
    search.sought = all && !search.words.empty();
    return all;
  }

  // Collective. Checks that the windows of all traces have one length.
  void require_one_length_of_all(const TraceList& mine) const {
    if (window_ == nullptr || !reader_.is_uniform()) return;
    run_and_agree(comm_, [&] { require_one_length(mine); });
    const auto firsts = all_gather(comm_, mine.count() == 0 ? SelectedTrace{-1, {}} : TraceList::Cursor(mine).next());
    run_and_agree(comm_, [&] {
      std::int64_t count = -1;
      for (const SelectedTrace& first : firsts) {
        if (first.trace < 0) continue;
        if (count >= 0 && first.samples.count != count) refuse_length(first, count);
        count = first.samples.count;
      }
    });
  }

 private:
  using ByThread = std::vector<std::vector<SelectedTrace>>;

  // Sorts and empties `found`.
  static std::vector<SelectedTrace> in_order(ByThread& found) {
    std::vector<SelectedTrace> all;
    for (std::vector<SelectedTrace>& of_thread : found) {
      all.insert(all.end(), of_thread.begin(), of_thread.end());
      of_thread.clear();
    }
    std::ranges::sort(all, {}, &SelectedTrace::trace);
    return all;
  }

  // Returns the bytes of a header that state when its samples were recorded.
  [[nodiscard]] ByteRange time_bytes() const {
    if (!delay_) return {};
    const segy::TrueBytes delay = delay_->needed_bytes();
    return joined({delay.first, delay.end - delay.first},
                  states_interval_ ? ByteRange{segy::interval_at, 2} : ByteRange{});
  }

  [[nodiscard]] TraceList whole(std::span<const std::int64_t> traces) const {
    TraceList all;
    for (const std::int64_t trace : traces) all.add({trace, {0, reader_.shape_of(trace).samples}});
    require_room_for_list(resources_, reader_, all.bytes());
    return all;
  }

  // Returns this rank's traces whose stored words match.
  TraceList stored_to_match() const {
    TraceList list;
    ByThread found(static_cast<std::size_t>(resources_.threads()));
    for_each_part(block_of(reader_.traces(), comm_.size(), comm_.rank()), [&](ItemRange part) {
      reader_.scan_index_words(part, resources_.threads(), [&](const HeaderBlock& stored, int thread) {
        for_each_trace(reader_, stored.first_trace, stored.count, [&](std::int64_t i) {
          const std::int64_t trace = stored.first_trace + i;
          if (where_->holds(stored.view(i)))
            found[static_cast<std::size_t>(thread)].push_back({trace, {0, reader_.shape_of(trace).samples}});
        });
      });
      for (const SelectedTrace& trace : in_order(found)) list.add(trace);
      require_room_for_list(resources_, reader_, list.bytes());
    });
    return list;
  }

  // Reads the headers of the traces found; returns only confirmed traces.
  template <class Confirms>
  TraceList looked_at(const TraceList& found, const Confirms& confirms) const {
    if (!needs_headers()) return found;
    // Traces that do not fit into memory would be fetched twice.
    const bool read_whole = window_ == nullptr && bytes_of(found) <= resources_.memory();
    ByThread confirmed(static_cast<std::size_t>(resources_.threads()));
    TraceList list;
    for_each_part(found, [&](std::span<const std::int64_t> numbers) {
      look_at_headers(reader_, numbers, read_whole, resources_.threads(),
                      [&](std::int64_t trace, const segy::HeaderView& header, int thread) {
                        if (confirms(trace, header))
                          confirmed[static_cast<std::size_t>(thread)].push_back(taken(trace, header));
                      });
      for (const SelectedTrace& trace : in_order(confirmed)) list.add(trace);
      require_room_for_list(resources_, reader_, list.bytes());
    });
    return list;
  }

  // Returns the size of headers and samples of the traces of a list.
  [[nodiscard]] std::int64_t bytes_of(const TraceList& list) const {
    std::int64_t bytes = 0;
    for_each_part(list, [&](std::span<const std::int64_t> numbers) { bytes += reader_.bytes_of(numbers); });
    return bytes;
  }

  SelectedTrace taken(std::int64_t trace, const segy::HeaderView& header) const {
    const std::int64_t samples = reader_.shape_of(trace).samples;
    if (window_ == nullptr) return {trace, {0, samples}};
    const segy::FileDescription& file = reader_.files()[static_cast<std::size_t>(header.file - 1)];
    const double start_us = delay_->usable_start_us(header.header, header.order);
    if (!(file.interval_us > 0.0))
      throw Error({.code = ErrorCode::input,
                   .problem = "the sample interval is 0: no sample has a time",
                   .clause = "SEG-Y rev 1, bytes 3217-3218",
                   .action = "give the interval with --assume interval=US"});
    require_interval_of(file, header);
    const segy::SampleRange range = segy::samples_in(*window_, start_us, file.interval_us, samples);
    if (range.count > 0) return {trace, range};
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format(
                     "no sample of this trace is in the window: the trace has {} starting at {} ms, {} us apart",
                     samples, start_us / 1000.0, file.interval_us),
                 .action = "choose another window, or omit such traces with a condition on delrt"});
  }

  // With a different interval than the file's, the samples would be from other times than requested.
  void require_interval_of(const segy::FileDescription& file, const segy::HeaderView& header) const {
    if (!states_interval_ || file.interval_us != std::floor(file.interval_us) ||
        file.interval_us > std::numeric_limits<std::uint16_t>::max())
      return;
    const auto stated_us = load<std::uint16_t>(header.header + segy::interval_at, header.order);
    if (stated_us == 0 || stated_us == file.interval_us) return;
    throw Error(
        {.code = ErrorCode::input,
         .problem = fmt::format("this trace states a sample interval of {} us, but its file states {} us: a time "
                                "window would select the wrong samples",
                                stated_us, file.interval_us),
         .clause = "SEG-Y rev 1, bytes 3217-3218 and trace header bytes 117-118",
         .action =
             "give the interval of all traces with --assume interval=US, or omit such traces with a condition on dt"});
  }

  // In a file of one length, a trace with a different number of samples would make the file unreadable.
  void require_one_length(const TraceList& mine) const {
    std::int64_t samples = -1;
    TraceList::Cursor cursor(mine);
    for (std::int64_t i = 0; i < mine.count(); ++i) {
      const SelectedTrace trace = cursor.next();
      if (samples >= 0 && trace.samples.count != samples) refuse_length(trace, samples);
      samples = trace.samples.count;
    }
  }

  [[noreturn]] void refuse_length(const SelectedTrace& trace, std::int64_t count) const {
    throw Error(
        {.code = ErrorCode::input,
         .problem = fmt::format("{} samples of this trace are in the window, but {} samples of each earlier trace",
                                trace.samples.count, count),
         .where = reader_.where(trace.trace),
         .action = "the traces begin at different times (delrt): choose a window inside all of them, or select traces "
                   "that begin at one time"});
  }

  const Resources& resources_;
  Communicator& comm_;
  const SurveyReader& reader_;
  const segy::Expression* where_;
  const segy::TimeWindow* window_;
  std::optional<segy::DelayWord> delay_;  // with a window
  bool states_interval_ = false;          // true if the interval that traces state applies
};

}  // namespace

TraceChoice select_traces(const Resources& resources, const SurveyReader& reader, const segy::Expression* where,
                          const segy::TimeWindow* window, const HeadersRead& headers) {
  Communicator& comm = resources.comm;
  std::optional<Choice> choice;
  resources.begin_stage("choosing traces", 0);
  run_and_agree(comm, [&] { choice.emplace(resources, reader, where, window); });
  TraceChoice chosen;
  std::optional<TraceList> mine;
  if (where != nullptr) mine = choice->indexed(chosen.search);
  // A condition that needs no headers (only trace numbers) is evaluated without reading any.
  if (!mine && where != nullptr && (headers.seek || where->needed_bytes().empty()))
    mine = choice->sought(chosen.search, headers);
  if (!mine) {
    mine = choice->scanned();
    if (choice->needs_headers()) chosen.search.headers_read += reader.traces();
  }
  choice->require_one_length_of_all(*mine);
  chosen.traces = distributed(comm, std::move(*mine));
  return chosen;
}

void visit_where(const SurveyReader& reader, ItemRange traces, const segy::Expression* where, ByteRange also,
                 int threads,
                 const std::function<void(std::int64_t trace, const segy::HeaderView& header, int thread)>& visit) {
  const ByteRange needed = where != nullptr ? joined(where->needed_bytes(), also) : also;
  reader.scan_headers(traces, needed, threads, [&](const HeaderBlock& block, int thread) {
    for_each_trace(reader, block.first_trace, block.count, [&](std::int64_t i) {
      const segy::HeaderView header = block.view(i);
      if (where == nullptr || where->holds(header)) visit(block.first_trace + i, header, thread);
    });
  });
}

void visit_where_in_parts(
    const SurveyReader& reader, ItemRange traces, const segy::Expression* where, ByteRange also, int threads,
    const std::function<void(std::int64_t trace, const segy::HeaderView& header, int thread)>& visit,
    const std::function<void()>& after) {
  for_each_part(traces, [&](ItemRange part) {
    visit_where(reader, part, where, also, threads, visit);
    after();
  });
}

void require_room_for_list(const Resources& resources, const SurveyReader& reader, std::int64_t bytes) {
  const std::int64_t room = std::max(resources.memory_beside_buffers(), min_list_bytes);
  if (bytes <= room) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("a list of the selected traces, of {} in total, needs more than {} bytes, which "
                                      "is the memory of a rank without its buffers",
                                      reader.traces(), room),
               .action = "raise the memory limit, give less to --memory, or use ranks on more nodes"});
}

TraceList distributed(Communicator& comm, TraceList traces) {
  if (comm.size() == 1) return traces;
  const ExclusiveSum count = exclusive_sum(comm, traces.count());
  const auto messages = run_and_agree(comm, [&] {
    std::vector<std::vector<char>> for_ranks(static_cast<std::size_t>(comm.size()));
    TraceList::Cursor cursor(traces);
    for (int rank = 0; rank < comm.size(); ++rank) {
      const ItemRange share = intersection(block_of(count.all, comm.size(), rank), {count.before, traces.count()});
      TraceList list;
      for (std::int64_t i = 0; i < share.count; ++i) list.add(cursor.next());
      if (!share.empty()) list.append_to(for_ranks[static_cast<std::size_t>(rank)]);
    }
    return for_ranks;
  });
  const std::vector<std::span<const char>> parts(messages.begin(), messages.end());
  const std::vector<char> received = all_to_all(comm, std::span<const std::span<const char>>(parts));
  return run_and_agree(comm, [&] {
    TraceList all;
    for (std::span<const char> left = received; !left.empty();) {
      const TraceList list = TraceList::take_from(left);
      TraceList::Cursor of_rank(list);
      for (std::int64_t i = 0; i < list.count(); ++i) all.add(of_rank.next());
    }
    return all;
  });
}

}  // namespace sill
