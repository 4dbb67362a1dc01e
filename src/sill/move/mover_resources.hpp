// What all calls of a mover share: its policy, files, buffers and threads.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "sill/comm/communicator.hpp"
#include "sill/move/file_set.hpp"
#include "sill/move/io_threads.hpp"
#include "sill/move/mover_terms.hpp"
#include "sill/move/policy/decision.hpp"
#include "sill/move/policy/domains.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/move/rounds.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/store/striping.hpp"

namespace sill {

/// All functions may throw std::bad_alloc.
class MoverResources {
 public:
  /// Local. Nothing can be used before `take`. `comm` outlives it.
  explicit MoverResources(Communicator& comm) : comm_(comm) {}

  /// Collective. Makes what depends on the policy. Precondition: no request is under way. Errors: as the constructor of
  /// Mover; those of usage leave everything as it was.
  void take(MoverFiles files, const Policy& policy, const MoverLimits& limits);

  [[nodiscard]] Communicator& comm() const { return comm_; }
  [[nodiscard]] const Policy& policy() const { return policy_; }
  [[nodiscard]] const MoverTerms& terms() const { return terms_; }
  /// The files that stay open after a call.
  [[nodiscard]] FileSet& files() { return *files_; }
  [[nodiscard]] IoThreads& background() { return *background_; }
  /// The threads that bring what is in logs into the files (BurstFiles).
  [[nodiscard]] IoThreads& drains() { return *drains_; }
  [[nodiscard]] const StripingReport& striping() const { return striping_; }
  [[nodiscard]] std::int64_t stage_bytes() const { return stages_->bytes_each(); }
  /// Local. Returns what moving has cost so far.
  [[nodiscard]] MoveCounts counts() const;

  /// Local. Returns true if the policy of each write is chosen when it begins. `is_of_rank`: FileSet::is_of_rank.
  [[nodiscard]] bool chooses(bool is_of_rank) const;
  /// Local. Returns true if files of several ranks are moved by collective calls of MPI-IO.
  [[nodiscard]] bool is_collective() const { return policy_.call == Policy::Call::mpiio_collective; }
  /// Local. Decides who moves what. `place_in_call`: of a write, Access::place_in_call.
  [[nodiscard]] Decision decide_on(Operation operation, std::span<const AccessSummary> summaries, bool is_of_rank,
                                   std::size_t place_in_call);
  /// Collective where ranks send each other bytes. Makes room for messages and stages.
  void prepare_rounds(Operation operation, const Decision& decision);
  /// Local. To be called after `prepare_rounds`, which allocates the room for messages.
  [[nodiscard]] RoundTools tools(FileSet& files, Operation operation);

 private:
  Communicator& comm_;
  StripingReport striping_;
  Policy policy_;
  MoverTerms terms_;
  Election election_;
  // Made where ranks agree.
  std::optional<FileSet> files_;
  std::optional<StagePool> stages_;
  // Not filled with zeros, so that pages which no batch uses take no memory.
  std::unique_ptr<std::byte[]> messages_;
  std::size_t messages_bytes_ = 0;
  MoveCounts counts_;
  // These are last: their threads end before what they use.
  std::optional<IoThreads> drains_;
  std::optional<IoThreads> background_;
};

}  // namespace sill
