// Begins the requests of one plan of a write.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sill/move/access_lists.hpp"
#include "sill/move/calls_in_flight.hpp"
#include "sill/move/mover_resources.hpp"
#include "sill/move/repeated_write.hpp"
#include "sill/move/write_opening.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// The use of the caller's memory by an asynchronous write. Without Policy::async both values have the same effect.
enum class Memory {
  copied,  ///< the caller may change the memory when the call returns
  /// Neither the memory nor encoders may change until `wait`. A rank that writes its own bytes without a stage writes
  /// directly from the memory, unless its plan is a single run below 4 KiB, which is copied. In a plan with thread-safe
  /// encoders, the bytes that a rank writes itself are read when the requests are performed. All other bytes, and the
  /// bytes of encoders that are not thread-safe, have been copied or sent when the call returns.
  lent,
};

/// One plan of a call, as passed by this rank.
struct PlanToWrite {
  std::size_t place = 0;  ///< index of the plan among the plans of its call, below max_plans_of_call
  const AccessPlan& mine;
  const PlanOfRank& plan_of_rank;                 ///< see Mover::write
  std::span<const AccessSummary> summaries = {};  ///< with `plan_of_rank`: OpenedWrite::summaries
  Memory memory = Memory::copied;
  bool is_of_rank = false;  ///< the rank writes its plan itself, regardless of the policy's `writers`
  /// The distance by which all ranks shift their last plan of the same position in a call; nullopt if any rank's write
  /// is not a shifted repetition.
  std::optional<std::int64_t> distance_bytes = {};
};

/// Writes plans. A plan that repeats the last one of the same position in a call reuses the agreed decision and rounds.
class PlanWriter {
 public:
  /// Precondition: `resources` outlives the object.
  explicit PlanWriter(MoverResources& resources) : resources_(resources) {}

  /// Local. Compares a plan with the last one of the same position in a call. Returns the result for agree_on_write.
  [[nodiscard]] PlanRepeat repeat_of(std::size_t place, const AccessPlan& mine, Memory memory, bool is_of_rank) const;

  /// Collective. Adds to `call`, which is in `in_flight` or is the phase after them, a batch whose requests are
  /// performed or submitted to background threads. Errors: usage if two ranks write the same byte; errors of earlier
  /// calls that wrote the same bytes. An error that occurs only on this rank is an error of the batch.
  void begin(const PlanToWrite& plan, WriteCall& call, CallsInFlight& in_flight);

  /// Local. Discards the cached writes, so that the next plans are planned again. Must be called on all ranks.
  void forget() { last_writes_ = {}; }

 private:
  [[nodiscard]] WriteWay way_of(const Decision& decision, const AccessPlan& mine, Memory memory, bool is_of_rank) const;
  void plan_anew(const PlanToWrite& plan);
  [[nodiscard]] WriteBatch make_batch(const PlanToWrite& plan, FileSet& files, WriteWay way, bool syncs) const;
  // Returns true if the write may be cached for a repetition, unless it fails.
  [[nodiscard]] bool begin_requests(const PlanToWrite& plan, FileSet& files, WriteBatch& batch);
  void know_created(const PlanToWrite& plan, FileSet& files, const LastWrite& last);
  void drain_behind(FileSet& files, RequestBatch& requests);

  MoverResources& resources_;
  std::array<LastWrite, max_plans_of_call> last_writes_;  // by the index of a plan in its call
};

}  // namespace sill
