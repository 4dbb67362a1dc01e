// The folders of profiles: of the user and of the site.
#pragma once

#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/io/profile/file_system_profile.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Local. Returns the folders from which profiles are read, in order of priority: `sill/profiles` in $XDG_CONFIG_HOME
/// (~/.config), the user's folder, to which profiles are written, and in each of $XDG_CONFIG_DIRS (/etc/xdg), the
/// site's folders (XDG Base Directory Specification 0.8).
[[nodiscard]] std::vector<std::string> profile_folders();

/// Local. Returns the file name of a profile: the same for all profiles of the same environment.
[[nodiscard]] std::string file_name_of(const FileSystemProfile& profile);

/// Local. Creates the user's folder for profiles if it does not exist. Errors: io if the folder, or files in it, cannot
/// be created.
void require_profile_folder();

/// Local. Writes a profile to the user's folder, replacing an earlier one. Returns its path. Errors: io.
[[nodiscard]] std::string store_profile(const Resources& resources, const FileSystemProfile& profile);

/// The profiles that apply to this run.
struct FoundProfiles {
  std::vector<MeasuredCosts> costs;  ///< in order of priority
  std::vector<std::string> notes;    ///< reasons why other profiles are not used, one line each
};

/// Collective. Returns the profiles of file systems that rank 0 sees, for these nodes and this MPI library, unless they
/// are too old. Other profiles of these file systems, and unreadable ones, are skipped with a note.
[[nodiscard]] FoundProfiles find_profiles(Communicator& comm);

/// Local. Returns the reason why a profile must not be used for a run, as text; an empty text if the profile may be
/// used.
[[nodiscard]] std::string reason_against(const FileSystemProfile& profile, int nodes, const std::string& mpi,
                                         std::chrono::sys_days today);

}  // namespace sill
