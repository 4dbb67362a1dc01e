// The mover: bytes of a set of files between the memory of all ranks and the files, as a policy says.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/move/access_lists.hpp"
#include "sill/move/file_set.hpp"
#include "sill/move/io_threads.hpp"
#include "sill/move/mover_terms.hpp"
#include "sill/move/policy/decision.hpp"
#include "sill/move/policy/domains.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/move/repeated_write.hpp"
#include "sill/move/request_batch.hpp"
#include "sill/move/rounds.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/store/store.hpp"
#include "sill/store/striping.hpp"

namespace sill {

/// Whether an asynchronous write works from the caller's memory. Without Policy::async the two are the same.
enum class Memory {
  copied,  ///< the caller may change it when the call returns
  /// Neither it nor encoders may change until `wait`. A rank that writes its own bytes without a stage writes straight
  /// from it, unless all it brings is one run below 4 KiB, which is copied. In a plan with thread-safe encoders, the
  /// bytes that a rank writes itself are taken when the requests are performed. All others, and those of encoders that
  /// are not thread-safe, have been copied or sent when the call returns.
  lent,
};

/// What ranks agree on as a write begins, by the one reduction that it costs anyway.
struct Opening {
  std::optional<Error> error = {};  ///< what this rank found wrong while it prepared the write
  std::int64_t equal = 0;           ///< must be the same on all ranks
  /// Returns the error to throw if `equal` differs.
  std::function<Error(std::int64_t min, std::int64_t max)> unequal = {};
  std::int64_t of_root = 0;  ///< all ranks receive that of rank 0
  bool is_unchanged = true;  ///< all ranks learn whether it is on every rank
};

/// What all ranks know once an opening is agreed on.
struct Agreed {
  std::int64_t of_root = 0;
  bool is_unchanged = true;
};

/// The files of one output phase: one call writes them, and they are closed when its requests are done.
struct PhaseFiles {
  std::vector<std::string> paths = {};  ///< the same on all ranks, unless each has its own
  OpenMode mode = OpenMode::write;
  /// Local. Called on each rank that has closed its files, all of them well.
  std::function<void()> closed = {};
  /// Local. Called on rank 0 when all ranks are through with that.
  std::function<void()> publish = {};
  std::shared_ptr<void> holds = {};  ///< destroyed when the phase has ended, well or not
};

/// Files that ranks write and read together: a set that stays, or one for each output phase. Which bytes land where
/// depends on the plans alone; the policy says who performs the requests and how.
///
/// A write like the one before it, of the same extents or all the same distance further on, is not planned again, also
/// in the files of another phase. It costs one all-reduce as it begins and one as its requests end, and a phase with
/// files of its own one more when they are published; what `make` below sends comes on top.
class Mover {
 public:
  /// Collective. `comm` outlives the mover. The policy's `threads` is not looked at: `limits` has the number. Files,
  /// mode and the rest of the policy are the same on all ranks. For phases with files of their own `files.paths` names
  /// any file like them: it is looked at for its stripes, and not opened.
  /// Errors: usage if they are not, if the memory is less than `min_mover_memory_bytes`, for a policy that
  /// contradicts itself, if the files offer no opener for the policy's call, or for MPI-IO on another thread than the
  /// one that started MPI.
  Mover(Communicator& comm, MoverFiles files, const Policy& policy, const MoverLimits& limits);
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;
  /// Waits for requests under way. Their errors are lost, so call `close` where they matter.
  ~Mover();

  /// Collective. From now on works as `policy` says, and plans the next write anew; does nothing, without a message, if
  /// it is the one in use. Precondition: it is the same on all ranks, and so is the one before. What was written is in
  /// the files when it returns, synced if the policy before says so; returns the error of that, if any, as `close`
  /// throws it. Errors: usage if `call`, `async` or the stripes differ, for which files and buffers were made.
  [[nodiscard]] std::optional<Error> use(const Policy& policy, const MoverLimits& limits);

  /// Collective. Writes what the ranks' plans (`for_writing`) say; a rank may bring an empty plan. `plan_of_rank`, on
  /// every rank or on none, gives the plan of any rank where that has closed form: the ranks then need not exchange
  /// them. With Policy::async = k > 0 the messages are done when it returns, the file requests of up to k calls may
  /// not be; an error among them is thrown by the next call of any kind. Bytes that an unfinished call writes may be
  /// written again: the calls keep their order.
  /// Errors: usage if two ranks write the same byte, if there is no such file, if an extent has neither memory nor
  /// encoder, or if a rank brings other bytes than `plan_of_rank` says (which is not asked when the write is the last
  /// one further on in the files); io; what an encoder throws, of lent memory as an error of a request. After an error
  /// the bytes that were to be written may be anything, others are as they were.
  void write(const AccessPlan& mine, const PlanOfRank& plan_of_rank = {}, Memory memory = Memory::copied);

  /// Collective. Writes `one_by_one` as one call: each plan when the one before is in the files on all ranks, with
  /// Policy::async on this rank. Their number, at most 2, is the same on all ranks. Errors: as above, of `opening`.
  void write(std::span<const AccessPlan> one_by_one, const Opening& opening, Memory memory = Memory::copied);

  /// Collective. Writes a phase whose files `make` names: called on every rank (and Collective) once `opening` is
  /// agreed on. `is_of_rank`: each rank names files that it alone writes, whatever `writers` says.
  /// Up to Policy::async phases may be unfinished when it returns. One phase's error costs no other: those of earlier
  /// ones are thrown when this one has begun. Returns true if this phase was written, and ended well if it had to.
  /// Errors are put into `first`, which all ranks have.
  [[nodiscard]] bool write_phase(const AccessPlan& mine, const Opening& opening, bool is_of_rank,
                                 const std::function<PhaseFiles(const Agreed& agreed)>& make, Memory memory,
                                 std::optional<Error>& first);

  /// Local. Writes large contiguous `bytes` of this rank at once, from any thread, past the policy's writers. No rank
  /// may write the same bytes before `close`. Errors: io, on this rank alone, for the caller to agree on; usage if
  /// there is no such file.
  void write_own(int file, std::int64_t offset_bytes, std::span<const std::byte> bytes);

  /// Local. The same of a plan: a request for each run in the files, through a buffer of 256 KiB. Errors: likewise;
  /// what an encoder throws.
  void write_own(const AccessPlan& mine);

  /// Local. Returns true if the policy lets ranks write by `write_own`: Policy::writes_own.
  [[nodiscard]] bool writes_own() const { return policy_.writes_own(); }

  /// Local. Returns this rank's own handle on a file, to read back what it wrote; it is synced and closed as those of
  /// writes are. Errors: io; usage if there is no such file.
  [[nodiscard]] std::shared_ptr<Store> own_handle(int file);

  /// Collective. Reads what the ranks' plans say, which may overlap, once all writes are finished. Errors: as
  /// `write`; what a decoder throws. After an error the memory holds anything.
  void read(const AccessPlan& mine, const PlanOfRank& plan_of_rank = {});

  /// Collective. Returns when everything written is in the files, phases are published, and lent memory is free.
  /// Errors: as `write`; of phases the first, once all have ended.
  void wait();

  /// Collective. Waits and closes the files, which are opened again when they are needed: what any rank has written can
  /// then be read by every other, also on file systems that promise it only for files that were closed. Errors: as
  /// `write`.
  void share();

  /// Collective. Waits, syncs if the policy says so, and closes the files. Errors: as `write`.
  void close();

  /// Local. Returns what moving has cost so far.
  [[nodiscard]] MoveCounts counts() const;
  /// Local. Returns true if all requests of this rank are done, so that `wait` would wait for other ranks alone.
  [[nodiscard]] bool is_done() const;
  /// Local. Returns which stripes the files that this rank created got.
  [[nodiscard]] std::vector<StripingReport::Line> striping() const { return striping_.lines(); }
  /// Local. The size of a stage: the policy's, or less where the memory of any rank or an alignment asks for it.
  [[nodiscard]] std::int64_t stage_bytes() const { return terms_.stage_bytes; }

 private:
  // The requests of one plan, and what other ranks know of it.
  struct Batch {
    WriteWay way = WriteWay::copied;
    Policy::Writers writers = Policy::Writers::all;
    bool memory_stays = false;  // all of the plan's, until the requests are done
    std::shared_ptr<RequestBatch> requests;
    std::vector<AccessSummary> summaries;
    AccessPlan plan;                   // of lent memory, which background threads ask for
    std::vector<std::byte> short_run;  // copied bytes, which `plan` then points to
  };
  // A call whose requests may not be finished.
  struct Unfinished {
    FileSet* files = nullptr;
    std::list<Batch> batches;
    std::unique_ptr<FileSet> of_phase;  // closed when the call is finished
    std::function<void()> closed;
    std::function<void()> publish;
    std::shared_ptr<void> holds;

    [[nodiscard]] bool is_done() const;
    [[nodiscard]] std::optional<Error> wait();
  };
  // Starts when it is made.
  class CallClock {
   public:
    struct Time {
      std::int64_t all_ns = 0;
      std::int64_t requests_ns = 0;  // of writes; of several threads together, but not more than all
    };

    explicit CallClock(const Meter* meter) : meter_(meter), write_ns_at_start_(write_ns()) {}
    [[nodiscard]] Time time() const;

   private:
    [[nodiscard]] std::int64_t write_ns() const { return meter_ != nullptr ? meter_->write_ns.load() : 0; }

    const Meter* meter_;
    std::int64_t write_ns_at_start_;
    std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::now();
  };
  struct Opened {
    std::vector<std::optional<std::int64_t>> distances;  // of each plan from the last write in its place
    Agreed agreed;
    std::int64_t done = 0;  // of the oldest calls in flight, on all ranks
    CallClock clock;
  };

  // Collective. Makes what depends on the policy.
  void take_policy(MoverFiles files, const Policy& policy, const MoverLimits& limits);
  // Whether the policy of writes is chosen as they come.
  [[nodiscard]] bool chooses(bool is_of_rank) const {
    return terms_.files.chooser && policy_.is_automatic() && !is_of_rank;
  }
  // Collective. Begins a call; once more, by another policy, if the one on trial fails.
  void begin_call(Unfinished& call, std::span<const AccessPlan> plans, const PlanOfRank& plan_of_rank, Memory memory,
                  const Opened& opened);
  [[nodiscard]] Opened open_write(std::span<const AccessPlan> plans, const Opening& opening, Memory memory,
                                  bool is_of_rank);
  // Collective. Begins the requests of the plan in place `turn` of a call.
  void begin_batch(Unfinished& call, std::size_t turn, const AccessPlan& mine, const PlanOfRank& plan_of_rank,
                   Memory memory, std::optional<std::int64_t> distance);
  // Collective, unless the files are this rank's alone. What is decided for a write that is not like the one before.
  void plan_anew(const FileSet& files, std::size_t turn, const AccessPlan& mine, const PlanOfRank& plan_of_rank);
  // A batch without requests. With `syncs` its files are synced once all are done.
  [[nodiscard]] Batch batch_of(FileSet& files, WriteWay way, const LastWrite& last, const AccessPlan& mine,
                               std::optional<std::int64_t> distance, bool syncs) const;
  void perform_write(std::span<const AccessPlan> plans, const PlanOfRank& plan_of_rank, const Opening& opening,
                     Memory memory);
  void perform_read(const AccessPlan& mine, const PlanOfRank& plan_of_rank);
  // Collective. Runs `work`. If it fails, which it then does on all ranks, files that several ranks have open are
  // closed.
  template <class Work>
  void release_after_error(Work&& work);
  // Collective where ranks send each other bytes. Returns true if the write may be cached for the next one like it,
  // unless it fails.
  [[nodiscard]] bool begin_requests(FileSet& files, Batch& batch, LastWrite& last, const AccessPlan& mine,
                                    std::optional<std::int64_t> distance, const PlanOfRank& plan_of_rank);
  // Local. What was written of the files is brought from the log to them behind the call.
  void drain_behind(FileSet& files, RequestBatch& requests);
  // Collective. Throws `failure` of any rank, or what closing fails with.
  void close_files(const std::optional<Error>& failure);
  // Collective. Waits until at most so many calls are in flight, and agrees on errors of all that are finished.
  void collect(std::size_t max_in_flight);
  // Collective. Ends the oldest phase: closes its files on all ranks and publishes it. Returns its error.
  [[nodiscard]] std::optional<Error> finish_oldest();
  // Collective. Waits for calls before `now` that wrote the same bytes on another rank.
  void wait_for_overlapping_writes(const Batch& now);
  [[nodiscard]] bool is_collective() const { return policy_.call == Policy::Call::mpiio_collective; }
  [[nodiscard]] Decision decide_on(Operation operation, std::span<const AccessSummary> summaries, bool is_of_rank,
                                   std::size_t place_in_call);
  // Collective where ranks send each other bytes. Makes room for messages and stages.
  void prepare_rounds(Operation operation, const Decision& decision);
  // The way of a write that is not like the one before.
  [[nodiscard]] WriteWay way_of(const Decision& decision, const AccessPlan& mine, Memory memory, bool is_of_rank) const;
  // Collective. Files that several ranks hold, by calls of MPI-IO that they make together.
  void perform_together(FileSet& files, Operation operation, const AccessPlan& mine,
                        std::span<const AccessSummary> together);
  // Collective. Files that are there now, or when this write is done, are not to be created once more.
  void know_created(FileSet& files, const std::vector<AccessSummary>& summaries,
                    std::span<const AccessSummary> together);
  [[nodiscard]] RoundTools tools(FileSet& files, Operation operation) {
    return {comm_,
            files.burst && operation == Operation::write ? files.burst->handles() : files.handles,
            *background_,
            *stages_,
            {messages_.get(), messages_bytes_},
            counts_,
            terms_.threads,
            terms_.files.meter,
            terms_.reads_in_place,
            terms_.leaves_gaps};
  }

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
  std::array<LastWrite, 2> last_writes_;  // by the place of a plan in its call
  std::list<Unfinished> in_flight_;
  std::optional<CallClock::Time> last_call_;  // what the last write took, known on all ranks or on none
  std::optional<IoThreads> drains_;           // of logs (BurstFiles)
  std::optional<IoThreads> background_;       // these are last: their threads end before what they use
};

}  // namespace sill
