// The data from which the automatic axes of a policy are chosen, and the interface of the chooser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sill/base/error.hpp"
#include "sill/move/policy/domains.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/store/striping.hpp"

namespace sill {

/// A stage that stays in a core's cache until its bytes have been moved, and a stage for requests of a length that
/// suits servers and disks.
inline constexpr std::int64_t cached_stage_bytes = 512 << 10;
inline constexpr std::int64_t long_stage_bytes = 4 << 20;

/// One collective access, as known to all ranks. Its cost is computed from these values, which are the same on all
/// ranks.
struct Access {
  Operation operation = Operation::write;
  std::span<const AccessSummary> summaries = {};  ///< summaries of all ranks, ascending by (file, rank)
  std::span<const int> node_of_ranks = {};
  double core_share = 1;             ///< cores per rank, may be less than one; the minimum over all ranks
  std::int64_t max_stage_bytes = 0;  ///< the largest stage that fits in memory
  FileSystemKind file_system = FileSystemKind::local;
  std::uint64_t device = 0;           ///< device of the files, as reported on rank 0 (store/posix/mount.hpp)
  Striping stripes = {};              ///< stripes of the files; a count of 0 if no stripes are known
  const Election* elected = nullptr;  ///< the elections so far; null: no rank has been elected
  std::size_t place_in_call = 0;      ///< for a write: index of the write among the writes of one call
};

/// The duration of a write.
struct WriteTime {
  double total_s = 0;     ///< from beginning to end, on the slowest rank
  double requests_s = 0;  ///< in requests to files, on the rank with the longest time in requests; 0 if unknown
};

/// Chooses values for the automatic axes of a mover's policy. It is called on every rank and must return the same value
/// on all of them: its result may depend only on the arguments of all calls so far.
class PolicyChooser {
 public:
  PolicyChooser() = default;
  PolicyChooser(const PolicyChooser&) = delete;
  PolicyChooser& operator=(const PolicyChooser&) = delete;
  virtual ~PolicyChooser() = default;

  /// Local. Returns a policy that `policy` allows, without automatic axes, for an access that does not repeat the last
  /// one.
  [[nodiscard]] virtual Policy choose(const Policy& policy, const Access& access) = 0;
  /// Local. Called when a write begins. `last`: the duration of the previous write; nullopt if unknown. Returns true if
  /// the policy must be chosen again for a write that repeats the last one; for other writes it is always chosen again.
  [[nodiscard]] virtual bool begin_write(const std::optional<WriteTime>& last, bool is_like_last) = 0;
  /// Local. Returns true if the policy that was last chosen for a write is on trial.
  [[nodiscard]] virtual bool is_trial() const = 0;
  /// Local. Ends the trial: the policy on trial failed with the same error on all ranks, and the write will be
  /// repeated.
  virtual void fall_back(const Error& failure) = 0;
};

}  // namespace sill
