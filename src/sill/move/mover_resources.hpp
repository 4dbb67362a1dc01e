// The policy, files, buffers and threads that all calls of a mover share.
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
  /// Local. Creates nothing; call `take` before any other function. Precondition: `comm` outlives the object.
  explicit MoverResources(Communicator& comm) : comm_(comm) {}

  /// Collective. Creates everything that depends on the policy. Precondition: no request is unfinished. Errors: as the
  /// constructor of Mover; after a usage error everything is unchanged.
  void take(MoverFiles files, const Policy& policy, const MoverLimits& limits);

  [[nodiscard]] Communicator& comm() const { return comm_; }
  [[nodiscard]] const Policy& policy() const { return policy_; }
  [[nodiscard]] const MoverTerms& terms() const { return terms_; }
  /// Local. Returns the files that stay open after a call.
  [[nodiscard]] FileSet& files() { return *files_; }
  [[nodiscard]] IoThreads& background() { return *background_; }
  /// Local. Returns the threads that copy the content of logs into the files (BurstFiles).
  [[nodiscard]] IoThreads& drains() { return *drains_; }
  [[nodiscard]] const StripingReport& striping() const { return striping_; }
  [[nodiscard]] std::int64_t stage_bytes() const { return stages_->bytes_each(); }
  /// Local. Returns the counts of all calls so far.
  [[nodiscard]] MoveCounts counts() const;

  /// Local. Returns true if the policy of each write is chosen when it begins. `is_of_rank`: FileSet::is_of_rank.
  [[nodiscard]] bool chooses(bool is_of_rank) const;
  /// Local. Returns true if files that several ranks hold are accessed by collective calls of MPI-IO.
  [[nodiscard]] bool is_collective() const { return policy_.call == Policy::Call::mpiio_collective; }
  /// Local. Decides which rank performs which requests. `place_in_call`: for a write, Access::place_in_call.
  [[nodiscard]] Decision decide_on(Operation operation, std::span<const AccessSummary> summaries, bool is_of_rank,
                                   std::size_t place_in_call);
  /// Collective if ranks send each other bytes and have not yet allocated; otherwise Local. Allocates memory for
  /// messages and stages.
  void prepare_rounds(Operation operation, const Decision& decision);
  /// Local. Returns the tools that perform rounds. Precondition: `prepare_rounds` has allocated the memory for
  /// messages.
  [[nodiscard]] RoundTools tools(FileSet& files, Operation operation);

 private:
  Communicator& comm_;
  StripingReport striping_;
  Policy policy_;
  MoverTerms terms_;
  Election election_;
  // The following members are created later, in functions that agree on errors.
  std::optional<FileSet> files_;
  std::optional<StagePool> stages_;
  // Not initialized with zeros: pages that no batch uses then take no memory.
  std::unique_ptr<std::byte[]> messages_;
  std::size_t messages_bytes_ = 0;
  int stages_of_rounds_ = 0;  // stages that all ranks have prepared for rounds, together with memory for messages
  MoveCounts counts_;
  // Last members: their threads end before the members that they use are destroyed.
  std::optional<IoThreads> drains_;
  std::optional<IoThreads> background_;
};

}  // namespace sill
