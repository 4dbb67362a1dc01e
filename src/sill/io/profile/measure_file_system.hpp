// What requests to a file system cost: measured, within given time and bytes.
#pragma once

#include <cstdint>
#include <string>

#include "sill/io/profile/file_system_profile.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

struct MeasuringLimits {
  double time_s = 20;
  std::int64_t file_bytes = std::int64_t{1} << 30;  ///< written in all, unless three steps of each cost are more
};

/// Collective. Measures the file system of `folder` with the ranks and nodes of `resources.comm`: creating files, and
/// requests of 4 KiB and 1 MiB, by one rank and by all, each in a file of its own and in one, at and beside pages;
/// syncing; messages and copies. Each cost is the median of what its share of the time allows, at least 3; of one rank,
/// what several do keeps its built-in costs. Its files are part files (store/part), which are removed also when it
/// fails or is ended by a signal. Errors: io, for a folder that is missing, not writable or too full; usage for limits
/// that are too small.
[[nodiscard]] FileSystemProfile measure_file_system(const Resources& resources, const std::string& folder,
                                                    const MeasuringLimits& limits);

}  // namespace sill
