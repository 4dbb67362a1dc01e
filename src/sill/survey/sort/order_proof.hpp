// Proves that the output is in order, from the bytes that are written.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {

/// Examines every run of traces while a permutation writes it, and finally determines whether the complete output is in
/// order.
template <std::size_t Words>
class OrderProof {
 public:
  OrderProof(const SurveyReader& reader, std::span<const segy::TraceKey> keys) : reader_(reader), packer_(keys) {}

  /// Local. Examines a run; can be used as an Inspection. Errors: io if two traces within the run are out of order.
  void see(std::int64_t first_position, std::span<const std::int64_t> sources,
           std::span<const std::byte* const> traces) {
    Run run{first_position, static_cast<std::int64_t>(sources.size()), {}, {}};
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const KeyRecord<Words> record{packer_.pack(reader_.view(sources[i], traces[i])), sources[i]};
      if (i == 0) {
        run.first = record;
      } else if (!(run.last < record)) {
        refuse(sources[i]);
      }
      run.last = record;
    }
    add(run);
  }

  /// Collective. Checks the complete output. Errors: io, on all ranks, unless the runs of all ranks cover positions 0
  /// to `positions` - 1 exactly once and no run begins with a smaller key than the previous run ends with.
  void conclude(Communicator& comm, std::int64_t positions) {
    run_and_agree(comm, [&] {
      // All runs of a rank have been joined to one by now.
      if (runs_.size() > 1) refuse_count(runs_.begin()->second.end(), std::next(runs_.begin())->first);
    });
    std::vector<Run> chain = all_gather(comm, runs_.empty() ? Run{} : runs_.begin()->second);
    std::erase_if(chain, [](const Run& run) { return run.count == 0; });
    run_and_agree(comm, [&] {
      std::int64_t end = 0;
      for (std::size_t i = 0; i < chain.size(); ++i) {
        if (chain[i].first_position != end) refuse_count(end, chain[i].first_position);
        if (i > 0) require_order(chain[i - 1], chain[i]);
        end = chain[i].end();
      }
      if (end != positions) refuse_count(end, positions);
    });
  }

 private:
  struct Run {
    std::int64_t first_position = 0;
    std::int64_t count = 0;
    KeyRecord<Words> first;
    KeyRecord<Words> last;

    [[nodiscard]] std::int64_t end() const { return first_position + count; }
  };

  // Joins a run with adjacent runs, so that there are no more runs than threads at work.
  void add(Run run) {
    const std::lock_guard lock(mutex_);
    auto next = runs_.lower_bound(run.first_position);
    if (next != runs_.end() && run.end() > next->first) refuse_count(next->first, run.end());
    if (next != runs_.begin() && std::prev(next)->second.end() > run.first_position) {
      refuse_count(run.first_position, std::prev(next)->second.end());
    }
    if (next != runs_.begin()) {
      const auto before = std::prev(next);
      if (before->second.end() == run.first_position) {
        require_order(before->second, run);
        run = {before->second.first_position, before->second.count + run.count, before->second.first, run.last};
        next = runs_.erase(before);
      }
    }
    if (next != runs_.end() && run.end() == next->second.first_position) {
      require_order(run, next->second);
      run = {run.first_position, run.count + next->second.count, run.first, next->second.last};
      next = runs_.erase(next);
    }
    runs_.emplace_hint(next, run.first_position, run);
  }

  void require_order(const Run& before, const Run& after) const {
    if (!(before.last < after.first)) refuse(after.first.item);
  }

  [[noreturn]] void refuse(std::int64_t trace) const {
    throw Error({.code = ErrorCode::io,
                 .problem = "the order of the output could not be verified: the keys of this trace have changed since "
                            "they were sorted",
                 .where = reader_.where(trace),
                 .action = "make sure that no program writes to the input while it is sorted, and run again"});
  }

  [[noreturn]] static void refuse_count(std::int64_t seen, std::int64_t expected) {
    throw Error({.code = ErrorCode::io,
                 .problem = "the order of the output could not be verified: position " + std::to_string(seen) +
                            " was written where " + std::to_string(expected) + " was expected",
                 .action = "this is an error in Sill: please report it"});
  }

  const SurveyReader& reader_;
  KeyPacker<Words> packer_;
  std::mutex mutex_;
  std::map<std::int64_t, Run> runs_;  // by first position; no two are adjacent
};

}  // namespace sill
