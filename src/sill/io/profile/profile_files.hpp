// Where profiles are kept: the user's own and the site's.
#pragma once

#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/io/profile/file_system_profile.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Local. The folders that profiles are read from, the first counting before the others: `sill/profiles` in
/// $XDG_CONFIG_HOME (~/.config), the user's, to which they are written, and in each of $XDG_CONFIG_DIRS (/etc/xdg), the
/// site's (XDG Base Directory Specification 0.8).
[[nodiscard]] std::vector<std::string> profile_folders();

/// Local. The name of a profile's file: the same for all that hold for the same.
[[nodiscard]] std::string file_name_of(const FileSystemProfile& profile);

/// Local. Makes the user's folder for profiles, if need be. Errors: io if there can be none, or no files in it.
void require_profile_folder();

/// Local. Puts a profile into the user's folder, in the place of an earlier one. Returns its path. Errors: io.
[[nodiscard]] std::string store_profile(const Resources& resources, const FileSystemProfile& profile);

/// What profiles say.
struct FoundProfiles {
  std::vector<MeasuredCosts> costs;  ///< those that count first come first
  std::vector<std::string> notes;    ///< why others are not used, a line each
};

/// Collective. The profiles of file systems that rank 0 sees, of these nodes and this MPI library, which are not too
/// old. Others of these file systems, and what cannot be read, are left out with a note.
[[nodiscard]] FoundProfiles find_profiles(Communicator& comm);

/// Local. Why a profile is not to be used for a run, in words; nothing if it is.
[[nodiscard]] std::string reason_against(const FileSystemProfile& profile, int nodes, const std::string& mpi,
                                         std::chrono::sys_days today);

}  // namespace sill
