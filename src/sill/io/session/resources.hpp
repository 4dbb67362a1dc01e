// What an operation may use: the ranks, the stores, a policy, memory and threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sill/base/progress.hpp"
#include "sill/choose/policy_choice.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/comm/node.hpp"
#include "sill/io/session/dataset_layouts.hpp"
#include "sill/move/mover_terms.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/store/meter_store.hpp"
#include "sill/store/mpiio/mpiio_hint_report.hpp"
#include "sill/store/mpiio/mpiio_store.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "sill/store/store.hpp"
#include "sill/store/striping.hpp"

namespace sill {

/// Local. How a rank opens files for itself with the calls that a policy names: by MPI-IO only where each rank calls
/// that on its own. `hints`, which may be null and else outlives the stores, receives what MPI says of the hints it was
/// given.
[[nodiscard]] inline Opener opener_for(Policy::Call call, MpiioHintReport* hints = nullptr) {
  return call == Policy::Call::mpiio ? mpiio_opener(hints) : Opener(open_posix);
}

/// Handed to every operation. `comm`, and what is pointed to, outlive it. An `IoSession` makes one for each output.
struct Resources {
  Communicator& comm;
  Opener open = open_posix;
  CollectiveOpener open_together = [](Communicator& of, std::span<const int> ranks, const std::string& path,
                                      OpenMode mode) { return open_mpiio_together(of, ranks, path, mode); };
  Policy policy = Policy::automatic();
  std::int64_t memory_bytes =
      0;                         ///< of this rank; 0: a quarter of what the process may use, shared by the node's ranks
  Progress* progress = nullptr;  ///< may be null
  StripingReport* striping = nullptr;  ///< receives, on rank 0, what became of stripes asked for; may be null
  Meter* meter = nullptr;              ///< counts calls for output (`OutputCall`), and what `open` opens; may be null
  std::span<const MeasuredCosts> measured = {};  ///< by which automatic axes are chosen; it outlives what is made
  PolicyLog* chosen = nullptr;                   ///< receives what was chosen for automatic axes, and why; may be null
  MpiioHintReport* hints = nullptr;           ///< receives what libraries say of the hints they were given; may be null
  const DatasetLayouts* layouts = nullptr;    ///< what counts before the options of datasets; may be null
  std::vector<std::string>* notes = nullptr;  ///< receives, on rank 0, what the report says of outputs; may be null
  std::int64_t limit_bytes = 0;  ///< what all processes of the node may use; 0: as much as `memory_limit_bytes` says

  /// Local. The threads of this rank: the policy's number or, for 0, the cores it has; one where `open` is by MPI-IO,
  /// which only the thread that started MPI may call.
  [[nodiscard]] int threads() const {
    if (policy.call == Policy::Call::mpiio) return 1;
    return policy.threads > 0 ? policy.threads : usable_cores(comm);
  }
  /// Local. Returns true if threads perform requests behind the calls that write.
  [[nodiscard]] bool writes_behind() const {
    return !policy.takes_memory_at_once() && policy.call == Policy::Call::posix;
  }
  /// Local. What all processes of the node may use, in bytes.
  [[nodiscard]] std::int64_t memory_limit() const { return limit_bytes > 0 ? limit_bytes : memory_limit_bytes(); }
  /// Local. The memory for buffers of this rank, in bytes.
  [[nodiscard]] std::int64_t memory() const {
    return memory_bytes > 0 ? memory_bytes : memory_limit() / 4 / comm.ranks_on_node();
  }
  /// Local. Returns how many bytes this rank may use for what it must know of each trace, besides its buffers: its
  /// share of what the process may use, without those buffers and the program itself; 0 if these take it all.
  [[nodiscard]] std::int64_t memory_beside_buffers() const {
    constexpr std::int64_t program_bytes = 32 << 20;
    return std::max<std::int64_t>(0, memory_limit() / comm.ranks_on_node() - memory() - program_bytes);
  }
  /// Local. What one mover of files needs.
  [[nodiscard]] MoverFiles files(std::vector<std::string> paths, OpenMode mode) const {
    return {std::move(paths), mode, open, open_together, std::make_shared<ChooseByCost>(chosen, measured), meter};
  }
  [[nodiscard]] MoverLimits limits() const { return {std::max(memory(), min_mover_memory_bytes), threads()}; }
  void begin_stage(const char* name, std::int64_t bytes) const {
    if (progress != nullptr) progress->begin(name, bytes);
  }
};

/// Local. Adds a sentence to the report, if this is rank 0.
inline void note(const Resources& resources, std::string text) {
  if (resources.notes != nullptr && resources.comm.rank() == 0) resources.notes->push_back(std::move(text));
}

}  // namespace sill
