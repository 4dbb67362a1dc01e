// Proving that what is written is in order, from the bytes that are written.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/flow/key_table.hpp"

namespace sill {

/// Sees every run of traces as a permutation writes it, and knows at the end whether the whole output is in order.
template <std::size_t Words>
class OrderProof {
 public:
  OrderProof(const Reader& reader, std::span<const segy::TraceKey> keys) : reader_(reader), packer_(keys) {}

  /// Local. An Inspection. Errors: io if two traces within the run are out of order.
  void see(std::int64_t first_position, std::span<const std::int64_t> sources,
           std::span<const std::byte* const> traces) {
    Run run{first_position, static_cast<std::int64_t>(sources.size()), {}, {}};
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const int file = reader_.file_of(sources[i]);
      const KeyRecord<Words> record{
          packer_.pack(traces[i], reader_.files()[static_cast<std::size_t>(file)].byte_order, file), sources[i]};
      if (i == 0) {
        run.first = record;
      } else if (!(run.last < record)) {
        refuse(sources[i]);
      }
      run.last = record;
    }
    const std::lock_guard lock(mutex_);
    runs_.push_back(run);
  }

  /// Collective. Errors: io, on all ranks, unless the runs of all ranks cover positions 0 to `positions` - 1 once and
  /// each begins after the one before it ends.
  void conclude(Communicator& comm, std::int64_t positions) {
    std::sort(runs_.begin(), runs_.end(),
              [](const Run& a, const Run& b) { return a.first_position < b.first_position; });
    const auto failure = attempt([&] { require_chain(runs_); });
    agree(comm, failure);
    // Each rank's runs are one chain now; the chains must join up.
    Run mine;
    if (!runs_.empty()) {
      const Run& last = runs_.back();
      mine = {runs_.front().first_position, last.first_position + last.count - runs_.front().first_position,
              runs_.front().first, last.last};
    }
    std::vector<Run> chains = all_gather(comm, mine);
    std::erase_if(chains, [](const Run& chain) { return chain.count == 0; });
    std::sort(chains.begin(), chains.end(),
              [](const Run& a, const Run& b) { return a.first_position < b.first_position; });
    together(comm, [&] {
      require_chain(chains);
      const std::int64_t end = chains.empty() ? 0 : chains.back().first_position + chains.back().count;
      if (end != positions || (!chains.empty() && chains.front().first_position != 0)) refuse_count(end, positions);
    });
  }

 private:
  struct Run {
    std::int64_t first_position = 0;
    std::int64_t count = 0;
    KeyRecord<Words> first;
    KeyRecord<Words> last;
  };

  void require_chain(std::span<const Run> runs) const {
    for (std::size_t i = 1; i < runs.size(); ++i) {
      const Run& before = runs[i - 1];
      if (before.first_position + before.count != runs[i].first_position) {
        refuse_count(before.first_position + before.count, runs[i].first_position);
      }
      if (!(before.last < runs[i].first)) refuse(runs[i].first.item);
    }
  }

  [[noreturn]] void refuse(std::int64_t trace) const {
    throw Error({.code = ErrorCode::io,
                 .problem = "the order of the output could not be proved: the keys of this trace were others when they "
                            "were sorted",
                 .where = reader_.where(trace),
                 .action = "make sure that nothing writes to the input while it is sorted, and run again"});
  }

  [[noreturn]] static void refuse_count(std::int64_t seen, std::int64_t expected) {
    throw Error({.code = ErrorCode::io,
                 .problem = "the order of the output could not be proved: position " + std::to_string(seen) +
                            " was written where " + std::to_string(expected) + " was expected",
                 .action = "this is a fault of Sill: please report it"});
  }

  const Reader& reader_;
  KeyPacker<Words> packer_;
  std::mutex mutex_;
  std::vector<Run> runs_;
};

}  // namespace sill
