// A profile: what requests to a file system cost, as `sill tune` measured it, in a file that people can read.
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

/// Local. All costs that are measured.
[[nodiscard]] std::span<const CostName> cost_names();

/// Half of the measurements of a cost lie between these, in seconds.
struct CostSpread {
  double from_s = 0;
  double to_s = 0;
};

struct FileSystemProfile {
  // What it holds for.
  std::string mount;
  std::string file_system;
  int nodes = 1;
  std::string mpi;  ///< name and version of the MPI library

  std::chrono::sys_days made = {};
  int ranks = 1;  ///< that measured
  FileSystemCosts costs;
  std::array<CostSpread, 16> spreads = {};  ///< in the order of cost_names()
};

/// A profile is used for so long.
inline constexpr std::chrono::days max_profile_age{90};

/// Local. The text of a profile, in TOML.
[[nodiscard]] std::string text_of(const FileSystemProfile& profile);

/// Local. Reads such a text. Errors: input, naming `path` and the line, for what is no profile, lacks a cost or has an
/// unknown one, or a cost that is negative or no number.
[[nodiscard]] FileSystemProfile parse_profile(std::string_view text, const std::string& path);

}  // namespace sill
