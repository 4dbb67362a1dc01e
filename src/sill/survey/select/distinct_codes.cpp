#include "sill/survey/select/distinct_codes.hpp"

#include <algorithm>
#include <optional>

#include "sill/comm/key_sort.hpp"

namespace sill {

void DistinctCodes::add(std::vector<std::uint64_t>& codes) {
  std::erase_if(codes, [&](std::uint64_t code) { return code < from_ || code > to_; });
  if (!std::ranges::is_sorted(codes)) std::ranges::sort(codes);
  merged_.clear();
  const auto append = [&](Run run) {
    if (!merged_.empty() && (run.first <= merged_.back().last || run.first - merged_.back().last == unit_)) {
      merged_.back().last = std::max(merged_.back().last, run.last);
    } else {
      merged_.push_back(run);
    }
  };
  std::size_t next = 0;
  for (const Run run : runs_) {
    for (; next < codes.size() && codes[next] < run.first; ++next) append({codes[next], codes[next]});
    append(run);
  }
  for (; next < codes.size(); ++next) append({codes[next], codes[next]});
  if (merged_.size() > max_runs_) {
    to_ = merged_[max_runs_].first - 1;
    merged_.resize(max_runs_);
  }
  runs_.swap(merged_);
}

bool DistinctCodes::end_pass(Communicator& comm) {
  const std::vector<std::uint64_t> ends = all_gather(comm, to_);
  to_ = *std::ranges::min_element(ends);
  // Codes that another rank could not store are left to the next pass by all ranks.
  while (!runs_.empty() && runs_.back().first > to_) runs_.pop_back();
  if (!runs_.empty()) runs_.back().last = std::min(runs_.back().last, to_ - to_ % unit_);
  count_ += count_of_pass(comm);
  runs_ = {};
  merged_ = {};
  const bool goes_on = to_ < std::numeric_limits<std::uint64_t>::max();
  from_ = goes_on ? to_ + 1 : to_;
  to_ = std::numeric_limits<std::uint64_t>::max();
  return goes_on;
}

std::int64_t DistinctCodes::count_of_pass(Communicator& comm) const {
  // The items may be any distinct numbers that ascend over the ranks.
  const std::int64_t first = comm.rank() * all_reduce(comm, std::ssize(runs_), Reduction::max);
  std::vector<KeyRecord<2>> runs = run_and_agree(comm, [&] {
    std::vector<KeyRecord<2>> records;
    records.reserve(runs_.size());
    for (const Run run : runs_) records.push_back({{run.first, run.last}, first + std::ssize(records)});
    return records;
  });
  if (comm.size() > 1) sort_distributed(comm, runs);
  // The runs of several ranks may overlap: each code is counted in the first run that contains it.
  std::uint64_t last = 0;
  for (const KeyRecord<2>& run : runs) last = std::max(last, run.key[1]);
  struct Ranks {
    std::uint64_t last = 0;
    std::int64_t runs = 0;
  };
  const std::vector<Ranks> all = all_gather(comm, Ranks{last, std::ssize(runs)});
  std::optional<std::uint64_t> counted;
  for (int rank = 0; rank < comm.rank(); ++rank) {
    const Ranks& of_rank = all[static_cast<std::size_t>(rank)];
    if (of_rank.runs > 0) counted = std::max(counted.value_or(0), of_rank.last);
  }
  std::int64_t count = 0;
  for (const KeyRecord<2>& run : runs) {
    if (counted && run.key[1] <= *counted) continue;
    const std::uint64_t begin = counted && *counted >= run.key[0] ? *counted + unit_ : run.key[0];
    count += static_cast<std::int64_t>((run.key[1] - begin) / unit_) + 1;
    counted = run.key[1];
  }
  return all_reduce(comm, count, Reduction::sum);
}

}  // namespace sill
