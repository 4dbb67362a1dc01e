// A profile: the costs of requests to a file system, measured by `sill tune`, in a readable text file.
#pragma once

#include <array>
#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "sill/choose/file_system_costs.hpp"

namespace sill {

/// One cost of FileSystemCosts, and its name in profiles.
struct CostName {
  std::string_view name;
  double FileSystemCosts::*cost_s;
  std::string_view meaning;
};

/// Local. Returns all costs that are measured.
[[nodiscard]] std::span<const CostName> cost_names();

/// The middle half of the measurements of a cost lies between these values, in seconds.
struct CostSpread {
  double from_s = 0;
  double to_s = 0;
};

struct FileSystemProfile {
  // The environment for which the profile is valid.
  std::string mount;
  std::string file_system;
  int nodes = 1;
  std::string mpi;  ///< name and version of the MPI library

  std::chrono::sys_days made = {};
  int ranks = 1;  ///< number of ranks that measured
  FileSystemCosts costs;
  std::array<CostSpread, 16> spreads = {};  ///< spreads in the order of cost_names()
};

/// The maximum age of a profile that is used.
inline constexpr std::chrono::days max_profile_age{90};

/// Local. Returns the text of a profile, in TOML.
[[nodiscard]] std::string text_of(const FileSystemProfile& profile);

/// Local. Parses the text of a profile. Errors: input, with `path` and the line, if the text is not a profile, if a
/// cost is missing or unknown, or if a cost is negative or not a number.
[[nodiscard]] FileSystemProfile parse_profile(std::string_view text, const std::string& path);

}  // namespace sill
