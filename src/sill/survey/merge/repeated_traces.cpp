#include "sill/survey/merge/repeated_traces.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/key_sort.hpp"
#include "sill/formats/segy/words/trace_hash.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/sort/sort_memory.hpp"

namespace sill {
namespace {

using ContentRecord = KeyRecord<2>;

constexpr std::int64_t no_trace = -1;
// Number of complete traces that a thread reads at once.
constexpr std::int64_t traces_hashed_at_once = 64;

// The bytes of the first header that identify a trace: not the trace numbers, which programs reassign; and in the first
// comparison not samples and interval, which depend on more than the header.
constexpr ByteRange known_by[] = {{8, 16}, {28, segy::trace_header_bytes - 28}};
constexpr ByteRange looked_at_first[] = {{8, 16}, {28, 86}, {118, segy::trace_header_bytes - 118}};

void add_bytes(segy::TraceHash& hash, const std::byte* header, std::span<const ByteRange> ranges) {
  for (const ByteRange& range : ranges) hash.add({header + range.offset, static_cast<std::size_t>(range.length)});
}

class RepeatSearch {
 public:
  RepeatSearch(const Resources& resources, const SurveyReader& reader, const MergedTraces& merged)
      : resources_(resources),
        comm_(resources.comm),
        reader_(reader),
        merged_(merged),
        own_(block_of(reader.traces(), comm_.size(), comm_.rank())) {}

  RepeatedTraces run() {
    std::vector<ContentRecord> records = run_and_agree(comm_, [&] { return by_header(); });
    const std::vector<std::int64_t> candidates = to_owners(in_two_files(std::move(records), true));
    records = run_and_agree(comm_, [&] { return by_all(candidates); });
    const std::vector<std::int64_t> mine = to_owners(in_two_files(std::move(records), false));
    RepeatedTraces found;
    found.traces = all_gather_all(comm_, std::span<const std::int64_t>(mine));
    const std::int64_t repeat = all_reduce(comm_, first_.repeat, Reduction::min);
    const std::int64_t original = all_reduce(
        comm_, first_.repeat == repeat ? first_.first : std::numeric_limits<std::int64_t>::max(), Reduction::min);
    if (!found.traces.empty()) found.first = TracePair{original, repeat};
    std::erase_if(bins_, [&](const ContentRecord& bin) { return std::ranges::binary_search(found.traces, bin.item); });
    std::int64_t shared = 0;
    for_each_in_two_files(std::move(bins_), [&](auto, auto) { ++shared; });
    found.shared_bins = all_reduce(comm_, shared, Reduction::sum);
    return found;
  }

 private:
  std::vector<ContentRecord> by_header() {
    std::vector<ContentRecord> records(static_cast<std::size_t>(own_.count));
    const segy::HeaderMap& words = reader_.words();
    const bool has_lines = words.find("iline") != nullptr && words.find("xline") != nullptr;
    std::optional<std::array<segy::WordRef, 2>> lines;
    if (has_lines) lines = {words.word("iline"), words.word("xline")};
    bins_.resize(lines ? records.size() : 0);
    const int threads = resources_.threads();
    std::vector<TraceAccount> unused(static_cast<std::size_t>(threads));
    reader_.scan_headers(own_, {0, segy::trace_header_bytes}, threads, [&](const HeaderBlock& block, int thread) {
      std::array<std::byte, segy::trace_header_bytes> header{};
      for (std::int64_t i = 0; i < block.count; ++i) {
        const std::int64_t trace = block.first_trace + i;
        merged_.transform_header(trace, block.header(i), header.data(), unused[static_cast<std::size_t>(thread)]);
        segy::TraceHash hash;
        add_bytes(hash, header.data(), looked_at_first);
        records[static_cast<std::size_t>(trace - own_.first)] = {hash.value(), trace};
        if (lines) bins_[static_cast<std::size_t>(trace - own_.first)] = bin_of(*lines, header.data(), trace);
      }
    });
    std::erase_if(bins_, [](const ContentRecord& bin) { return bin.item == no_trace; });
    return records;
  }

  // Line numbers 0 and 0 are not a bin.
  ContentRecord bin_of(const std::array<segy::WordRef, 2>& lines, const std::byte* header, std::int64_t trace) const {
    segy::TraceHash hash;
    bool is_set = false;
    for (const segy::WordRef& word : lines) {
      if (word.byte + word.type.bytes - 1 > segy::trace_header_bytes) return {{}, no_trace};
      const std::span<const std::byte> bytes(header + word.byte - 1, static_cast<std::size_t>(word.type.bytes));
      is_set = is_set || std::ranges::any_of(bytes, [](std::byte each) { return each != std::byte{}; });
      hash.add(bytes);
    }
    return {hash.value(), is_set ? trace : no_trace};
  }

  std::vector<ContentRecord> by_all(std::span<const std::int64_t> traces) const {
    std::vector<ContentRecord> records(traces.size());
    const int threads = resources_.threads();
    std::vector<TraceAccount> unused(static_cast<std::size_t>(threads));
    std::vector<std::vector<std::byte>> in(static_cast<std::size_t>(threads));
    std::vector<std::vector<std::byte>> out(static_cast<std::size_t>(threads));
    const std::int64_t max =
        std::max<std::int64_t>(1, (8 << 20) / std::max<std::int64_t>(1, reader_.longest_trace_bytes()));
    const std::int64_t at_once = std::min(traces_hashed_at_once, max);
    const std::int64_t tasks = (std::ssize(traces) + at_once - 1) / at_once;
    parallel_for(threads, tasks, [&](std::int64_t task, int thread) {
      const auto t = static_cast<std::size_t>(thread);
      const auto first = static_cast<std::size_t>(task * at_once);
      const auto some = traces.subspan(first, std::min(static_cast<std::size_t>(at_once), traces.size() - first));
      in[t].resize(static_cast<std::size_t>(reader_.bytes_of(some)));
      reader_.read_own(some, in[t]);
      const std::byte* at = in[t].data();
      for (std::size_t i = 0; i < some.size(); ++i) {
        out[t].resize(static_cast<std::size_t>(merged_.bytes_after(some[i])));
        merged_.transform(some[i], at, out[t].data(), unused[t]);
        at += merged_.bytes_before(some[i]);
        segy::TraceHash hash;
        add_bytes(hash, out[t].data(), known_by);
        hash.add(std::span<const std::byte>(out[t]).subspan(segy::trace_header_bytes));
        records[first + i] = {hash.value(), some[i]};
      }
    });
    return records;
  }

  // Collective. Visits the records of each content that occurs in two files. Each content is sent to one rank, selected
  // by its hash.
  template <class Visit>
  void for_each_in_two_files(std::vector<ContentRecord> records, Visit&& visit) {
    if (comm_.size() > 1) {
      const auto ranks = static_cast<std::uint64_t>(comm_.size());
      std::vector<std::span<const ContentRecord>> parts(static_cast<std::size_t>(ranks));
      run_and_agree(comm_, [&] {
        std::ranges::sort(records, {},
                          [&](const ContentRecord& record) { return std::pair(record.key[0] % ranks, record.item); });
      });
      auto begin = records.cbegin();
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const auto end = std::find_if(begin, records.cend(),
                                      [&](const ContentRecord& record) { return record.key[0] % ranks != rank; });
        parts[rank] = std::span(begin, end);
        begin = end;
      }
      records = all_to_all(comm_, std::span<const std::span<const ContentRecord>>(parts));
    }
    run_and_agree(comm_, [&] {
      std::ranges::sort(records);
      for (auto begin = records.cbegin(); begin != records.cend();) {
        const auto end =
            std::find_if(begin, records.cend(), [&](const ContentRecord& record) { return record.key != begin->key; });
        if (reader_.file_of(std::prev(end)->item) != reader_.file_of(begin->item)) visit(begin, end);
        begin = end;
      }
    });
  }

  // Collective. Returns the traces of contents that occur in two files: all of them, or only those that an earlier file
  // contains.
  std::vector<std::int64_t> in_two_files(std::vector<ContentRecord> records, bool all) {
    std::vector<std::int64_t> found;
    for_each_in_two_files(std::move(records), [&](auto begin, auto end) {
      const int first_file = reader_.file_of(begin->item);
      for (auto record = begin; record != end; ++record) {
        const bool is_repeat = reader_.file_of(record->item) != first_file;
        if (all || is_repeat) found.push_back(record->item);
        if (!all && is_repeat && record->item < first_.repeat) first_ = {begin->item, record->item};
      }
    });
    return found;
  }

  // Collective. Sends trace numbers to the ranks whose blocks contain them; the result is ascending.
  std::vector<std::int64_t> to_owners(std::vector<std::int64_t> traces) {
    std::vector<std::span<const std::int64_t>> parts(static_cast<std::size_t>(comm_.size()));
    std::ranges::sort(traces);
    auto begin = traces.cbegin();
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const auto end = std::lower_bound(begin, traces.cend(), block_of(reader_.traces(), comm_.size(), rank).end());
      parts[static_cast<std::size_t>(rank)] = std::span(begin, end);
      begin = end;
    }
    std::vector<std::int64_t> mine = all_to_all(comm_, std::span<const std::span<const std::int64_t>>(parts));
    std::ranges::sort(mine);
    return mine;
  }

  const Resources& resources_;
  Communicator& comm_;
  const SurveyReader& reader_;
  const MergedTraces& merged_;
  ItemRange own_;
  std::vector<ContentRecord> bins_;  // of this rank's traces that have lines
  TracePair first_{0, std::numeric_limits<std::int64_t>::max()};
};

// Collective. Checks the memory for records of contents and records of bins. On several ranks, records of contents
// exist twice: as sent and as received.
void require_memory(const Resources& resources, const SurveyReader& reader) {
  try {
    const bool is_sent = resources.comm.size() > 1;
    constexpr std::int64_t record = sizeof(ContentRecord);
    SortMemory(resources, reader, is_sent ? 3 * record / 2 : 2 * record, is_sent).require_for_keys();
  } catch (const Error& error) {
    // The error is the same on all ranks; a merge has neither keys nor memory options.
    ErrorParts parts = error.parts();
    parts.action = "use more ranks on more nodes, or --on duplicates=keep, which does not search for repeats";
    throw Error(std::move(parts));
  }
}

}  // namespace

RepeatedTraces repeated_traces(const Resources& resources, const SurveyReader& reader, const MergedTraces& merged) {
  require_memory(resources, reader);
  resources.begin_stage("searching for repeated traces", 0);
  return RepeatSearch(resources, reader, merged).run();
}

}  // namespace sill
