// The mover: bytes of a set of files between the memory of all ranks and the files, as a policy says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/move/access_lists.hpp"
#include "sill/move/collective_files.hpp"
#include "sill/move/domains.hpp"
#include "sill/move/io_threads.hpp"
#include "sill/move/mover_terms.hpp"
#include "sill/move/policy.hpp"
#include "sill/move/repeated_write.hpp"
#include "sill/move/request_batch.hpp"
#include "sill/move/rounds.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/store/handle_cache.hpp"
#include "sill/store/store.hpp"
#include "sill/store/striping.hpp"

namespace sill {

/// Whose memory an asynchronous write works from. Without Policy::async the two are the same.
enum class Memory {
  copied,  ///< the caller may change it when the call returns
  /// It stays as it is until `wait`, and so do encoders. A rank that writes what it holds itself, without a stage, then
  /// writes straight from it. Of a plan with encoders for threads, what a rank writes itself is taken when the requests
  /// are performed (but perhaps where a write goes like the one before it, further on in the files). All else, what
  /// encoders that are not for threads make among it, has been copied or sent when the call returns.
  lent,
};

/// A set of files that ranks write and read together. Which bytes land where depends on the plans alone; the policy
/// says who performs the requests and how. Files are opened when first needed by who needs them.
class Mover {
 public:
  /// Collective. `comm` outlives the mover. The policy's `threads` is not looked at: `limits` has the number. Files,
  /// mode and the rest of the policy are the same on all ranks.
  /// Errors: usage if they are not, if the memory is less than `min_mover_memory_bytes`, for a policy that
  /// contradicts itself, if the files offer no opener for the policy's call, or for MPI-IO on another thread than the
  /// one that started MPI.
  Mover(Communicator& comm, MoverFiles files, const Policy& policy, const MoverLimits& limits);
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;
  /// Waits for requests under way. Their errors are lost, so call `close` where they matter.
  ~Mover();

  /// Collective. Writes what the ranks' plans (`for_writing`) say; a rank may bring an empty plan. `plan_of_rank`, on
  /// every rank or on none, gives the plan of any rank where that has closed form: then the ranks need not tell each
  /// other. With Policy::async = k > 0 the messages are done when it returns, the file requests of up to k calls may
  /// not be; an error among them is thrown by the next call of any kind. Bytes that an unfinished call writes may be
  /// written again: the calls keep their order.
  /// Errors: usage if two ranks write the same byte, if there is no such file, if an extent has neither memory nor
  /// encoder, or if a rank brings other bytes than `plan_of_rank` says (which is not asked when the write is the last
  /// one further on in the files); io; what an encoder throws, of lent memory as an error of a request. After an error
  /// the bytes that were to be written may be anything, others are as they were.
  void write(const AccessPlan& mine, const PlanOfRank& plan_of_rank = {}, Memory memory = Memory::copied);

  /// Collective. Reads what the ranks' plans say, which may overlap, once all writes are finished. Errors: as
  /// `write`; what a decoder throws. After an error the memory holds anything.
  void read(const AccessPlan& mine, const PlanOfRank& plan_of_rank = {});

  /// Collective. Returns when everything written is in the files, and lent memory is free. Errors: as `write`.
  void wait();

  /// Collective. Waits, syncs if the policy says so, and closes the files. Errors: as `write`.
  void close();

  /// Local. What it has cost so far.
  [[nodiscard]] MoveCounts counts() const;
  /// Local. Whether all requests of this rank are done, so that `wait` would wait for other ranks alone.
  [[nodiscard]] bool is_done() const;
  /// Local. What became of the stripes that the policy asked for, of the files that this rank created.
  [[nodiscard]] std::vector<StripingReport::Line> striping() const { return striping_.lines(); }
  /// Local. The size of a stage: the policy's, or less where the memory of any rank or an alignment asks for it.
  [[nodiscard]] std::int64_t stage_bytes() const { return terms_.stage_bytes; }

 private:
  // How the bytes of a write come into its requests.
  enum class Way {
    direct,  // from where they lie, without a stage
    again,   // through stages, by the rounds of the write before
    copied,  // through stages, filled when the call returns
    // Through stages that the threads that write fill with this rank's bytes, but for what only the caller may make.
    // (Not by rounds of the write before, whose plan the next one changes.)
    lent,
    jobs,  // the same, and the caller fills none
  };

  // A write whose requests may not be finished, and what other ranks know of it.
  struct Unfinished {
    Way way = Way::copied;
    std::shared_ptr<RequestBatch> phase;
    std::vector<AccessSummary> shares;
    AccessPlan plan;  // of lent memory, which background threads ask for
  };

  void perform_write(const AccessPlan& mine, const PlanOfRank& plan_of_rank, Memory memory);
  void perform_read(const AccessPlan& mine, const PlanOfRank& plan_of_rank);
  // Collective. Runs `work`. If it fails, which it then does on all ranks, files that several ranks have open are
  // closed.
  template <class Work>
  void release_after_error(Work&& work);
  // Collective. A write in flight: the last one at a distance, or a new one.
  Unfinished& begin_write(const AccessPlan& mine, std::optional<std::int64_t> distance, Way way);
  // Collective where ranks send each other bytes. Whether the write may be kept for the next one like it, unless it
  // fails.
  [[nodiscard]] bool begin_requests(Unfinished& write, const AccessPlan& mine, std::optional<std::int64_t> distance,
                                    const PlanOfRank& plan_of_rank);
  void collect(std::size_t max_in_flight);
  void keep_order(std::span<const AccessSummary> shares);
  [[nodiscard]] bool is_collective() const { return policy_.call == Policy::Call::mpiio_collective; }
  // Whether ranks send each other bytes. If not, what fails on a rank fails there alone until all agree at the end.
  [[nodiscard]] bool exchanges() const;
  [[nodiscard]] bool is_direct(Operation operation, const AccessPlan& mine, Memory memory);
  // The way of a write that is neither direct nor like the one before.
  [[nodiscard]] Way way_of_rounds(const AccessPlan& mine, Memory memory) const;
  // Collective. Files that several ranks hold, by calls of MPI-IO that they make together.
  void perform_together(Operation operation, const AccessPlan& mine, std::span<const AccessSummary> of_several);
  // Collective. Files that are there now, or when this write is done, are not to be created once more.
  void know_created(const std::vector<AccessSummary>& shares, std::span<const AccessSummary> of_several);
  // This and `course_of` leave out the files of `of_several`.
  void perform_direct(Operation operation, const AccessPlan& mine, std::span<const AccessSummary> of_several,
                      RequestBatch& phase, bool here);
  [[nodiscard]] ExchangePlan course_of(Operation operation, const AccessPlan& mine,
                                       std::span<const AccessSummary> shares, std::span<const AccessSummary> of_several,
                                       const PlanOfRank& plan_of_rank);
  [[nodiscard]] Schedule schedule_of(Operation operation, const AccessPlan& mine, const ExchangePlan& course) const;
  [[nodiscard]] RoundTools tools() {
    return {comm_, *handles_, *background_, *stages_, {messages_.get(), messages_bytes_}, counts_, terms_.threads};
  }

  Communicator& comm_;
  StripingReport striping_;
  Policy policy_;
  MoverTerms terms_;
  Topology topology_;
  Election election_;
  // Made where ranks agree.
  std::optional<HandleCache> handles_;
  std::optional<CollectiveFiles> collective_;
  std::optional<StagePool> stages_;
  // Not filled with zeros: of so much room a phase may use little, and what is not used then takes no memory.
  std::unique_ptr<std::byte[]> messages_;
  std::size_t messages_bytes_ = 0;
  MoveCounts counts_;
  LastWrites last_writes_;
  LastWrite& last_ = last_writes_.front();
  std::list<Unfinished> in_flight_;
  std::optional<IoThreads> own_background_;  // last: its threads end before what they use
  IoThreads* background_;
};

}  // namespace sill
