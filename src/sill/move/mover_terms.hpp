// The files, memory and threads that a mover works with, checked and agreed on by all ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/move/collective_files.hpp"
#include "sill/move/policy/decision.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/move/policy/policy_chooser.hpp"
#include "sill/store/burst/burst_log.hpp"
#include "sill/store/meter_store.hpp"
#include "sill/store/store.hpp"
#include "sill/store/striping.hpp"

namespace sill {

/// The files that a mover reads or writes; extents name them by their place in `paths`.
struct MoverFiles {
  std::vector<std::string> paths = {};  ///< the same on all ranks, as text
  /// With OpenMode::create a file that a second rank opens by itself is an error: it exists by then.
  OpenMode mode = OpenMode::write;
  Opener open = {};                     ///< for what a rank moves on its own
  CollectiveOpener open_together = {};  ///< for Call::mpiio_collective: for files that several ranks hold
  /// Of this mover alone. Without one automatic axes are as in `direct`.
  std::shared_ptr<PolicyChooser> chooser = {};
  /// Counts the making of bytes (`PrepareTimer`), and what stores of `open` write, if they are metered; may be null.
  Meter* meter = nullptr;
  /// The maximum number of open handles of a rank, and likewise of files open on several ranks; 0: as the limits of
  /// the process allow.
  std::int64_t max_open = 0;
  /// Every call of write_phase has files of its own: calls in flight share the handles that a rank may have open.
  bool is_per_call = false;
};

/// The least memory that a mover accepts.
inline constexpr std::int64_t min_mover_memory_bytes = 4096;

/// What a mover may use on this rank.
struct MoverLimits {
  /// For stages and messages together. In addition, lists of extents take about 200 bytes for each extent of this rank,
  /// for each that others have in the parts of files that it writes, and once more for those of the last write.
  std::int64_t memory_bytes = 0;
  int threads = 1;  ///< that perform file requests
};

/// What follows from a policy, files and limits. Equal on all ranks except `threads` and those of other kinds,
/// `max_stages` and `drain_bytes`.
struct MoverTerms {
  MoverFiles files;
  std::int64_t max_open = 0;  ///< handles of a file set
  std::int64_t max_open_together = 0;
  std::int64_t memory_bytes = 0;
  int threads = 1;             ///< that perform requests of this rank
  int background_threads = 0;  ///< none where requests call MPI-IO: no other thread than the caller's calls MPI
  double core_share = 1;       ///< the least of any rank (comm/node.hpp)
  FileSystemKind file_system = FileSystemKind::local;
  std::uint64_t device = 0;     ///< of the files, as rank 0 sees it
  bool reads_in_place = false;  ///< see RoundTools, as the next
  bool leaves_gaps = false;
  Striping stripes;  ///< to align to; a count of 0 if none are known
  std::int64_t stage_bytes = 0;
  int max_stages = 1;
  std::shared_ptr<BurstLog> burst = {};  ///< of this rank; null where nothing is written by Policy::burst
  int drain_threads = 0;                 ///< that bring what is in it into the files
  std::int64_t drain_bytes = 0;          ///< of the buffer of each

  /// Local. What a decision by `made`, which the mover's policy allows, depends on.
  [[nodiscard]] DecisionLimits limits_of(const Policy& made, std::span<const int> node_of_ranks) const;
};

/// Collective. Returns the terms that all ranks agree on. Errors: as the constructor of Mover.
[[nodiscard]] MoverTerms agreed_terms(Communicator& comm, MoverFiles files, const Policy& policy,
                                      const MoverLimits& limits, StripingReport& report);

}  // namespace sill
