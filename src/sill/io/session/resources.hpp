// The resources of an operation: the ranks, the stores, a policy, memory and threads.
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

/// Local. Returns the opener for files of one rank, with the calls that a policy selects: MPI-IO only if each rank
/// calls it independently. `hints` receives reports of MPI about its hints; it may be null, and otherwise outlives the
/// stores.
[[nodiscard]] inline Opener opener_for(Policy::Call call, MpiioHintReport* hints = nullptr) {
  return call == Policy::Call::mpiio ? mpiio_opener(hints) : Opener(open_posix);
}

/// The resources passed to every operation. `comm` and the objects to which pointers refer outlive them. An `IoSession`
/// creates one for each output.
struct Resources {
  Communicator& comm;
  Opener open = open_posix;
  CollectiveOpener open_together = [](Communicator& of, std::span<const int> ranks, const std::string& path,
                                      OpenMode mode) { return open_mpiio_together(of, ranks, path, mode); };
  Policy policy = Policy::automatic();
  std::int64_t memory_bytes = 0;  ///< buffer memory of this rank; 0: a quarter of the memory limit of the node, divided
                                  ///< by the number of ranks on the node
  Progress* progress = nullptr;   ///< may be null
  StripingReport* striping = nullptr;  ///< receives, on rank 0, the results of requests for stripes; may be null
  Meter* meter = nullptr;              ///< counts calls for output (`OutputCall`) and the requests of opened files; may
                                       ///< be null
  std::span<const MeasuredCosts> measured = {};  ///< costs for choosing automatic axes; they outlive all objects made
                                                 ///< with these resources
  PolicyLog* chosen = nullptr;                   ///< receives the choices for automatic axes, with reasons; may be null
  MpiioHintReport* hints = nullptr;              ///< receives reports of libraries about their hints; may be null
  const DatasetLayouts* layouts = nullptr;       ///< override the options of datasets; may be null
  std::vector<std::string>* notes = nullptr;     ///< receives, on rank 0, notes of outputs for the report; may be null
  std::int64_t limit_bytes = 0;                  ///< memory limit of all processes of the node; 0: `memory_limit_bytes`

  /// Local. Returns the threads of this rank: the number in the policy or, for 0, the cores that the rank has; one if
  /// `open` uses MPI-IO, which only the thread that initialized MPI may call.
  [[nodiscard]] int threads() const {
    if (policy.call == Policy::Call::mpiio) return 1;
    return policy.threads > 0 ? policy.threads : usable_cores(comm);
  }
  /// Local. Returns true if threads perform requests in the background, after the calls that write.
  [[nodiscard]] bool writes_behind() const {
    return !policy.takes_memory_at_once() && policy.call == Policy::Call::posix;
  }
  /// Local. Returns the memory limit of all processes of the node, in bytes.
  [[nodiscard]] std::int64_t memory_limit() const { return limit_bytes > 0 ? limit_bytes : memory_limit_bytes(); }
  /// Local. Returns the buffer memory of this rank, in bytes.
  [[nodiscard]] std::int64_t memory() const {
    return memory_bytes > 0 ? memory_bytes : memory_limit() / 4 / comm.ranks_on_node();
  }
  /// Local. Returns the number of bytes that this rank may use in addition to its buffers, for data about each trace:
  /// its share of the memory limit, minus these buffers and the program itself; 0 if nothing remains.
  [[nodiscard]] std::int64_t memory_beside_buffers() const {
    constexpr std::int64_t program_bytes = 32 << 20;
    return std::max<std::int64_t>(0, memory_limit() / comm.ranks_on_node() - memory() - program_bytes);
  }
  /// Local. Returns the arguments that a mover of files needs.
  [[nodiscard]] MoverFiles files(std::vector<std::string> paths, OpenMode mode) const {
    return {std::move(paths), mode, open, open_together, std::make_shared<ChooseByCost>(chosen, measured), meter};
  }
  [[nodiscard]] MoverLimits limits() const { return {std::max(memory(), min_mover_memory_bytes), threads()}; }
  void begin_stage(const char* name, std::int64_t bytes) const {
    if (progress != nullptr) progress->begin(name, bytes);
  }
};

/// Local. Adds a sentence to the report, on rank 0 only.
inline void note(const Resources& resources, std::string text) {
  if (resources.notes != nullptr && resources.comm.rank() == 0) resources.notes->push_back(std::move(text));
}

}  // namespace sill
