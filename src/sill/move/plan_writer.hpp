// Beginning the requests of one plan of a write.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sill/move/access_lists.hpp"
#include "sill/move/calls_in_flight.hpp"
#include "sill/move/mover_resources.hpp"
#include "sill/move/repeated_write.hpp"
#include "sill/move/write_opening.hpp"
#include "sill/plan/access_plan.hpp"

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

/// One plan of a call, as this rank brings it.
struct PlanToWrite {
  std::size_t place = 0;  ///< in its call, below max_plans_of_call
  const AccessPlan& mine;
  const PlanOfRank& plan_of_rank;  ///< as of Mover::write
  Memory memory = Memory::copied;
  /// How much further on all ranks write what they last wrote in this place; nothing if any rank does not.
  std::optional<std::int64_t> distance_bytes = {};
};

/// Writes plans. A plan that repeats the last one in its place uses what was agreed on for that.
class PlanWriter {
 public:
  /// `resources` outlives it.
  explicit PlanWriter(MoverResources& resources) : resources_(resources) {}

  /// Local. Returns how a plan lies to the last one in its place, for agree_on_write.
  [[nodiscard]] PlanRepeat repeat_of(std::size_t place, const AccessPlan& mine, Memory memory, bool is_of_rank) const;

  /// Collective, unless the call's files are this rank's alone and its policy exchanges nothing. Adds to `call`, one of
  /// `in_flight` or the phase after them, a batch whose requests are performed or given to background threads. Errors:
  /// usage if two ranks write the same byte; those of earlier calls that wrote the same bytes. What goes wrong on this
  /// rank alone is an error of the batch.
  void begin(const PlanToWrite& plan, WriteCall& call, CallsInFlight& in_flight);

  /// Local. The next plans are planned anew; to be called on all ranks.
  void forget() { last_writes_ = {}; }

 private:
  [[nodiscard]] WriteWay way_of(const Decision& decision, const AccessPlan& mine, Memory memory, bool is_of_rank) const;
  void plan_anew(const PlanToWrite& plan, const FileSet& files);
  [[nodiscard]] WriteBatch make_batch(const PlanToWrite& plan, FileSet& files, WriteWay way, bool syncs) const;
  // Returns true if the write may be cached for the next one like it, unless it fails.
  [[nodiscard]] bool begin_requests(const PlanToWrite& plan, FileSet& files, WriteBatch& batch);
  void know_created(FileSet& files, const LastWrite& last);
  void drain_behind(FileSet& files, RequestBatch& requests);

  MoverResources& resources_;
  std::array<LastWrite, max_plans_of_call> last_writes_;  // by the place of a plan in its call
};

}  // namespace sill
