// What the automatic axes of a policy are chosen from, and who chooses.
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

/// A stage that stays in a core's cache until it has been moved on, and one that makes requests as long as servers and
/// disks like them.
inline constexpr std::int64_t cached_stage_bytes = 512 << 10;
inline constexpr std::int64_t long_stage_bytes = 4 << 20;

/// One collective access, as all ranks know it: what its cost is computed from. The same on all ranks.
struct Access {
  Operation operation = Operation::write;
  std::span<const AccessSummary> summaries = {};  ///< of all ranks, ascending by (file, rank)
  std::span<const int> node_of_ranks = {};
  double core_share = 1;             ///< cores of each rank, also less than one; the fewest of any
  std::int64_t max_stage_bytes = 0;  ///< the largest stage there is memory for
  FileSystemKind file_system = FileSystemKind::local;
  std::uint64_t device = 0;           ///< where the files are, as rank 0 sees it (store/posix/mount.hpp)
  Striping stripes = {};              ///< of the files; a count of 0 if none are known
  const Election* elected = nullptr;  ///< so far; null: nobody
  std::size_t place_in_call = 0;      ///< of a write: its number among those of one call
};

/// What a write took.
struct WriteTime {
  double total_s = 0;     ///< from its beginning to its end, of the rank that took longest
  double requests_s = 0;  ///< in requests to files, of the rank that took longest in those; 0 if that is not known
};

/// Chooses values for the automatic axes of a mover's policy. It is asked on every rank and must come to the same on
/// all: its answer may depend on nothing but the arguments of all calls so far.
class PolicyChooser {
 public:
  PolicyChooser() = default;
  PolicyChooser(const PolicyChooser&) = delete;
  PolicyChooser& operator=(const PolicyChooser&) = delete;
  virtual ~PolicyChooser() = default;

  /// Local. Returns a policy that `policy` allows, without automatic axes, for an access that is not like the one
  /// before.
  [[nodiscard]] virtual Policy choose(const Policy& policy, const Access& access) = 0;
  /// Local. A write begins. `last`: what the one before took; nothing where that is not known. Returns true if a write
  /// like the last one is to be chosen for anew; others always are.
  [[nodiscard]] virtual bool begin_write(const std::optional<WriteTime>& last, bool is_like_last) = 0;
  /// Local. Returns true if the policy that was chosen last for a write is on trial.
  [[nodiscard]] virtual bool is_trial() const = 0;
  /// Local. What is on trial failed with the same error on all ranks, and will be performed again: ends the trial.
  virtual void fall_back(const Error& failure) = 0;
};

}  // namespace sill
