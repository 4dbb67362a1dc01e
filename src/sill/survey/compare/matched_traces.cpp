#include "sill/survey/compare/matched_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/key_sort.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {
namespace {

constexpr std::size_t max_named = 5;
constexpr std::int64_t no_trace = std::numeric_limits<std::int64_t>::max();

struct TracePartners {
  std::int64_t a = 0;
  std::int64_t b = 0;
};

/// Traces that have the same keys as an earlier trace of the same survey; the numbers are those of the first such
/// trace.
struct Repeats {
  std::int64_t traces = 0;
  std::int64_t first = no_trace;
  std::int64_t original = no_trace;

  void add(std::int64_t count, std::int64_t repeat, std::int64_t repeated) {
    traces += count;
    if (repeat >= first) return;
    first = repeat;
    original = repeated;
  }
};

/// One of the two surveys, with its keys.
struct Side {
  const SurveyReader& reader;
  std::vector<segy::TraceKey> keys;
};

std::string keys_text(const Side& side, std::int64_t trace) {
  std::string text;
  side.reader.scan_headers({trace, 1}, needed_bytes(side.keys), 1,
                           [&](const HeaderBlock& block, int /*thread*/) { text = text_of(side.keys, block.view(0)); });
  return text;
}

template <std::size_t Words>
class Matching {
  using Record = KeyRecord<Words>;

 public:
  Matching(const Resources& resources, const Side& a, const Side& b, std::span<const ItemRange> ranges)
      : resources_(resources), comm_(resources.comm), sides_{&a, &b}, ranges_(ranges) {}

  MatchedTraces run() {
    require_memory();
    std::vector<Record> records = run_and_agree(comm_, [&] { return all_keys(); });
    sort_distributed(comm_, records);
    find_neighbours(records);
    run_and_agree(comm_, [&] { look_at(records); });
    std::vector<Record>().swap(records);
    refuse_repeats();
    MatchedTraces matched;
    matched.pairs = all_reduce(comm_, std::ssize(pairs_), Reduction::sum);
    matched.partners = to_owners();
    matched.only_a = unmatched(0);
    matched.only_b = unmatched(1);
    return matched;
  }

 private:
  [[nodiscard]] std::int64_t traces(std::size_t side) const { return sides_[side]->reader.traces(); }
  // Traces of `b` are numbered after those of `a`.
  [[nodiscard]] std::size_t side_of(std::int64_t item) const { return item < traces(0) ? 0 : 1; }
  [[nodiscard]] std::int64_t trace_of(std::int64_t item) const { return item < traces(0) ? item : item - traces(0); }

  void require_memory() const {
    const int ranks = comm_.size();
    const std::int64_t own = block_of(traces(0), ranks, 0).count + block_of(traces(1), ranks, 0).count;
    std::int64_t range = 0;
    for (const ItemRange& of_rank : ranges_) range = std::max(range, of_rank.count);
    constexpr auto record_bytes = static_cast<std::int64_t>(sizeof(Record));
    constexpr auto pair_bytes = static_cast<std::int64_t>(sizeof(TracePartners));
    const std::int64_t found = pair_bytes * (own / 2 + 1);
    const std::int64_t received = pair_bytes * std::min(range, traces(1));
    const std::int64_t partners = static_cast<std::int64_t>(sizeof(std::int64_t)) * range;
    // The peaks: keys are sorted; pairs are found; pairs are sent; partners are listed.
    const std::int64_t peak =
        std::max({2 * record_bytes * own, record_bytes * own + found, found + received, received + partners});
    const std::int64_t missing = peak - resources_.memory();
    run_and_agree(comm_, [&] {
      if (missing <= 0) return;
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("the keys of {} traces need {} bytes more than the memory of a rank",
                                          traces(0) + traces(1), missing),
                   .action = fmt::format("give at least --memory {}, use more ranks, or name fewer or shorter keys",
                                         resources_.memory() + missing)});
    });
  }

  std::vector<Record> all_keys() const {
    const auto of = [&](std::size_t side) {
      return read_keys<Words>(sides_[side]->reader, block_of(traces(side), comm_.size(), comm_.rank()),
                              sides_[side]->keys, resources_.threads());
    };
    std::vector<Record> records = of(0);
    records.reserve(records.size() + static_cast<std::size_t>(block_of(traces(1), comm_.size(), comm_.rank()).count));
    for (Record& record : of(1)) {
      record.item += traces(0);
      records.push_back(record);
    }
    return records;
  }

  // Finds the records before and after those of this rank.
  void find_neighbours(const std::vector<Record>& records) {
    struct FirstAndLast {
      Record first;
      Record last;
      std::int64_t count = 0;
    };
    FirstAndLast mine;
    mine.count = std::ssize(records);
    if (!records.empty()) {
      mine.first = records.front();
      mine.last = records.back();
    }
    const std::vector<FirstAndLast> all = all_gather(comm_, mine);
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const FirstAndLast& ends = all[static_cast<std::size_t>(rank)];
      if (ends.count == 0) continue;
      if (rank < comm_.rank()) before_ = ends.last;
      if (rank > comm_.rank() && !after_) after_ = ends.first;
    }
  }

  // Precondition: records are sorted; those with equal keys are in ascending order of their traces, `a` before `b`.
  void look_at(const std::vector<Record>& records) {
    pairs_.reserve(records.size() / 2 + 1);  // growing the array would need twice the memory
    for (std::size_t i = 0; i < records.size(); ++i) {
      const Record& record = records[i];
      const Record* const before = i > 0 ? &records[i - 1] : before_ ? &*before_ : nullptr;
      const Record* const after = i + 1 < records.size() ? &records[i + 1] : after_ ? &*after_ : nullptr;
      const bool as_before = before != nullptr && before->key == record.key;
      const bool as_after = after != nullptr && after->key == record.key;
      const std::size_t side = side_of(record.item);
      if (as_before && side_of(before->item) == side) {
        repeats_[side].add(1, trace_of(record.item), trace_of(before->item));
      } else if (as_before) {
        pairs_.push_back({before->item, trace_of(record.item)});
      } else if (!as_after) {
        add_single(side, trace_of(record.item));
      }
    }
  }

  void add_single(std::size_t side, std::int64_t trace) {
    ++singles_[side];
    std::vector<std::int64_t>& first = first_singles_[side];
    first.push_back(trace);
    std::ranges::push_heap(first);
    if (first.size() <= max_named) return;
    std::ranges::pop_heap(first);
    first.pop_back();
  }

  void refuse_repeats() {
    for (std::size_t side = 0; side < 2; ++side) {
      Repeats all;
      for (const Repeats& of_rank : all_gather(comm_, repeats_[side]))
        all.add(of_rank.traces, of_rank.first, of_rank.original);
      if (all.traces == 0) continue;
      run_on_rank(comm_, 0, [&] {
        const Side& there = *sides_[side];
        throw Error(
            {.code = ErrorCode::usage,
             .problem = fmt::format(
                 "traces {} and {} have the same keys, {}; in total, {} traces repeat the keys of an earlier trace",
                 all.original + 1, all.first + 1, keys_text(there, all.first), all.traces),
             .where = {.file = there.reader.paths().front()},
             .action = "match by more words, so that no two traces of a file have the same keys"});
      });
    }
  }

  // Collective. Sends the pairs to the ranks that need them, and frees them.
  std::vector<std::int64_t> to_owners() {
    std::vector<std::span<const TracePartners>> parts(ranges_.size());
    run_and_agree(comm_, [&] { std::ranges::sort(pairs_, {}, &TracePartners::a); });
    auto begin = pairs_.cbegin();
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      const auto end = std::ranges::lower_bound(begin, pairs_.cend(), ranges_[rank].end(), {}, &TracePartners::a);
      parts[rank] = std::span(begin, end);
      begin = end;
    }
    const std::vector<TracePartners> mine = all_to_all(comm_, std::span<const std::span<const TracePartners>>(parts));
    std::vector<TracePartners>().swap(pairs_);
    const ItemRange own = ranges_[static_cast<std::size_t>(comm_.rank())];
    return run_and_agree(comm_, [&] {
      std::vector<std::int64_t> partners(static_cast<std::size_t>(own.count), -1);
      for (const TracePartners& pair : mine) partners[static_cast<std::size_t>(pair.a - own.first)] = pair.b;
      return partners;
    });
  }

  UnmatchedTraces unmatched(std::size_t side) {
    UnmatchedTraces found;
    found.traces = all_reduce(comm_, singles_[side], Reduction::sum);
    std::vector<std::int64_t> first = all_gather_all(comm_, std::span<const std::int64_t>(first_singles_[side]));
    run_and_agree(comm_, [&] {
      std::ranges::sort(first);
      first.resize(std::min(first.size(), max_named));
      for (const std::int64_t trace : first) found.first.push_back({trace + 1, keys_text(*sides_[side], trace)});
    });
    return found;
  }

  const Resources& resources_;
  Communicator& comm_;
  std::array<const Side*, 2> sides_;
  std::span<const ItemRange> ranges_;
  std::optional<Record> before_;
  std::optional<Record> after_;
  std::vector<TracePartners> pairs_;
  std::array<Repeats, 2> repeats_;
  std::array<std::int64_t, 2> singles_{};
  std::array<std::vector<std::int64_t>, 2> first_singles_;
};

void require_same_keys(const Side& a, const Side& b) {
  for (std::size_t k = 0; k < a.keys.size(); ++k) {
    if (have_one_type(a.keys[k], b.keys[k])) continue;
    throw Error(
        {.code = ErrorCode::usage,
         .problem = fmt::format("the type of '{}' in {} differs from its type in {}", a.keys[k].text(),
                                a.reader.paths().front(), b.reader.paths().front()),
         .action = "match by words that both files have with the same type, or give their positions with --map"});
  }
}

}  // namespace

MatchedTraces match_traces(const Resources& resources, const SurveyReader& a, const SurveyReader& b,
                           const std::string& keys, std::span<const ItemRange> ranges) {
  const Side of_a{a, run_and_agree(resources.comm, [&] { return segy::TraceKey::parse_list(keys, a.words()); })};
  const Side of_b{b, run_and_agree(resources.comm, [&] { return segy::TraceKey::parse_list(keys, b.words()); })};
  run_and_agree(resources.comm, [&] {
    require_same_keys(of_a, of_b);
    with_key_words(packed_bytes(of_a.keys), []<std::size_t Words>() {});
  });
  resources.begin_stage("matching traces", 0);
  return with_key_words(packed_bytes(of_a.keys),
                        [&]<std::size_t Words>() { return Matching<Words>(resources, of_a, of_b, ranges).run(); });
}

}  // namespace sill
