// Measurement of the costs of requests to a file system, within limits of time and bytes.
#pragma once

#include <cstdint>
#include <string>

#include "sill/io/profile/file_system_profile.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

struct MeasuringLimits {
  double time_s = 20;
  std::int64_t file_bytes = std::int64_t{1} << 30;  ///< maximum bytes to write in total, unless three steps of each
                                                    ///< cost need more
};

/// Collective. Measures the file system of `folder` with the ranks and nodes of `resources.comm`: creating files;
/// requests of 4 KiB and 1 MiB, by one rank and by all ranks, each rank in its own file and all in one file, aligned to
/// pages and not aligned; syncing; messages and copies. Each cost is the median of as many measurements as its share of
/// the time allows, at least 3. With one rank, costs of actions by several ranks retain their built-in values. The
/// files are part files (store/part), which are removed even if the measurement fails or is ended by a signal. Errors:
/// io if the folder is missing, not writable or too full; usage for limits that are too small.
[[nodiscard]] FileSystemProfile measure_file_system(const Resources& resources, const std::string& folder,
                                                    const MeasuringLimits& limits);

}  // namespace sill
