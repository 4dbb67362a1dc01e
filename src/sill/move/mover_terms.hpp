// The files, memory and threads that a mover uses, checked and agreed on by all ranks.
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

/// The files that a mover reads or writes. Extents refer to a file by its index in `paths`.
struct MoverFiles {
  std::vector<std::string> paths = {};  ///< the same text on all ranks
  /// With OpenMode::create it is an error if a second rank opens a file independently, because the file already exists.
  OpenMode mode = OpenMode::write;
  Opener open = {};                     ///< for files that a rank reads or writes independently
  CollectiveOpener open_together = {};  ///< for Call::mpiio_collective: for files whose data several ranks hold
  /// Used only by this mover. Without a chooser, automatic axes have their values in `direct`.
  std::shared_ptr<PolicyChooser> chooser = {};
  /// Counts the time to produce bytes (`PrepareTimer`), and the writes of the stores of `open` if they are metered. May
  /// be null.
  Meter* meter = nullptr;
  /// The maximum number of open handles of a rank, and also of files open on several ranks; 0: as many as the limits of
  /// the process allow.
  std::int64_t max_open = 0;
  /// Every call of write_phase has its own files: calls in flight share the handles that a rank may have open.
  bool is_per_call = false;
};

/// The minimum memory that a mover accepts.
inline constexpr std::int64_t min_mover_memory_bytes = 4096;

/// The memory and threads that a mover may use on this rank.
struct MoverLimits {
  /// For stages and messages together. In addition, lists of extents take about 200 bytes for each extent of this rank,
  /// for each extent that other ranks have in the file ranges that this rank writes, and once more for the extents of
  /// the last write.
  std::int64_t memory_bytes = 0;
  int threads = 1;  ///< threads that perform file requests
};

/// Values that follow from a policy, files and limits. Equal on all ranks except `threads` and the other thread counts,
/// `max_stages` and `drain_bytes`.
struct MoverTerms {
  MoverFiles files;
  std::int64_t max_open = 0;  ///< maximum number of open handles per file set
  std::int64_t max_open_together = 0;
  std::int64_t memory_bytes = 0;
  int threads = 1;             ///< threads that perform requests of this rank
  int background_threads = 0;  ///< 0 if requests call MPI-IO, because only the caller's thread may call MPI
  double core_share = 1;       ///< cores per rank, may be less than one; the minimum over all ranks
  FileSystemKind file_system = FileSystemKind::local;
  std::uint64_t device = 0;     ///< device of the files, as reported on rank 0
  bool reads_in_place = false;  ///< see RoundTools, also for the next member
  bool leaves_gaps = false;
  Striping stripes;  ///< stripes to align to; a count of 0 if none are known
  std::int64_t stage_bytes = 0;
  int max_stages = 1;
  std::shared_ptr<BurstLog> burst = {};  ///< log of this rank; null if nothing is written by Policy::burst
  int drain_threads = 0;                 ///< threads that copy the log into the files
  std::int64_t drain_bytes = 0;          ///< size of the buffer per drain thread

  /// Local. Returns the values that a decision by `made` depends on. Precondition: the mover's policy allows `made`.
  [[nodiscard]] DecisionLimits limits_of(const Policy& made, std::span<const int> node_of_ranks) const;
};

/// Collective. Returns the terms that all ranks agree on. Errors: as the constructor of Mover.
[[nodiscard]] MoverTerms agreed_terms(Communicator& comm, MoverFiles files, const Policy& policy,
                                      const MoverLimits& limits, StripingReport& report);

}  // namespace sill
