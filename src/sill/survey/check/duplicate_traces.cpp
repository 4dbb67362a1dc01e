#include "sill/survey/check/duplicate_traces.hpp"

#include <algorithm>
#include <optional>

namespace sill {
namespace {

// Data for the higher ranks: the last content of this rank, and its first trace on this rank.
struct LastContent {
  KeyRecord<2> first;
  bool is_there = false;
  bool all_one = false;  // every record of this rank has that content
};

}  // namespace

DuplicateTraces find_duplicates(Communicator& comm, std::vector<KeyRecord<2>> records, std::size_t max_listed) {
  sort_distributed(comm, records);
  LastContent last;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const bool is_new = i == 0 || records[i].key != records[i - 1].key;
    if (is_new) last = {records[i], true, i == 0};
  }
  // The first trace of the content at the beginning of this rank may be on a lower rank.
  std::optional<KeyRecord<2>> before;
  const std::vector<LastContent> of_ranks = all_gather(comm, last);
  for (int rank = 0; rank < comm.rank(); ++rank) {
    const LastContent& there = of_ranks[static_cast<std::size_t>(rank)];
    if (!there.is_there || (there.all_one && before && before->key == there.first.key)) continue;
    before = there.first;
  }

  DuplicateTraces mine;
  for (const KeyRecord<2>& record : records) {
    if (!before || before->key != record.key) {
      before = record;
      continue;
    }
    ++mine.repeats;
    mine.first.push_back({before->item, record.item});
    std::ranges::push_heap(mine.first, {}, &TracePair::repeat);
    if (mine.first.size() <= max_listed) continue;
    std::ranges::pop_heap(mine.first, {}, &TracePair::repeat);
    mine.first.pop_back();
  }
  DuplicateTraces all;
  all.repeats = all_reduce(comm, mine.repeats, Reduction::sum);
  all.first = all_gather_all(comm, std::span<const TracePair>(mine.first));
  std::ranges::sort(all.first, {}, &TracePair::repeat);
  all.first.resize(std::min(all.first.size(), max_listed));
  return all;
}

}  // namespace sill
