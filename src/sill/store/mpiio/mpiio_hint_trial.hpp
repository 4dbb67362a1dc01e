// The effect of MPI-IO hints on collective writes, measured from the writes that the system counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/store/mpiio/mpiio_hints.hpp"

namespace sill {

/// The measured effect of hints on a file.
struct MpiioEffect {
  int aggregators = 0;           ///< ranks that wrote
  std::int64_t write_bytes = 0;  ///< length of the longest write of any of these ranks
};

/// Collective over all of `comm`. Tries hints on a small file in `folder`, removes the file, and returns the effect
/// that the system's counters of writes show (/proc/self/io), not the values that MPI reports. Errors, the same on all
/// ranks: io; usage as open_mpiio_together.
[[nodiscard]] MpiioEffect try_mpiio_hints(Communicator& comm, const std::string& folder, const MpiioHints& hints);

/// A hint, the requested value, and its effect as text.
struct TriedHint {
  std::string hint;
  std::string asked;
  std::string seen;
  bool took_effect = false;
};

/// Collective over all of `comm`. Tries the hints that Sill uses, each with several values. Errors: as try_mpiio_hints.
[[nodiscard]] std::vector<TriedHint> try_all_mpiio_hints(Communicator& comm, const std::string& folder);

}  // namespace sill
