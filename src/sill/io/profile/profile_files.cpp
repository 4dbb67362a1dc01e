#include "sill/io/profile/profile_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/launcher.hpp"
#include "sill/comm/node.hpp"
#include "sill/io/files/small_text.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/store/posix/folder.hpp"
#include "sill/store/posix/mount.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t max_profile_bytes = 64 << 10;
constexpr std::size_t max_profiles = 1000;

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    if (at->path().extension() == ".toml" && files.size() < max_profiles) files.push_back(at->path().string());
  }
  std::ranges::sort(files);
  return files;
}

FileSystemProfile profile_in(const std::string& path) {
  if (const std::optional<std::string> text = read_small_text(path, max_profile_bytes))
    return parse_profile(*text, path);
  throw Error({.code = ErrorCode::input, .problem = "it is too long for a profile", .where = {.file = path}});
}

// A profile that is not used, and the reason. The note is omitted if another profile of the same device is used.
struct Refused {
  std::uint64_t device = 0;
  std::string note;
};

// Returns the user's configuration folder, or nothing if there is none. The specification requires that relative paths
// are ignored.
std::string user_configuration() {
  const std::string own = environment_text("XDG_CONFIG_HOME").value_or("");
  if (own.starts_with('/')) return own;
  const std::string home = environment_text("HOME").value_or("");
  return home.starts_with('/') ? home + "/.config" : "";
}

std::string user_profile_folder() {
  const std::string folder = user_configuration();
  if (!folder.empty()) return folder + "/sill/profiles";
  throw Error({.code = ErrorCode::io,
               .problem = "no folder for profiles is known: neither XDG_CONFIG_HOME nor HOME is an absolute path",
               .action = "set one of them"});
}

std::string note_of(const std::string& path, const std::string& reason) {
  return fmt::format("the profile {} is not used: {}; run `sill tune` to measure again", path, reason);
}

}  // namespace

std::vector<std::string> profile_folders() {
  std::vector<std::string> folders;
  const auto add = [&](std::string_view folder) {
    if (folder.starts_with('/')) folders.push_back(fmt::format("{}/sill/profiles", folder));
  };
  add(user_configuration());
  std::istringstream sites(environment_text("XDG_CONFIG_DIRS").value_or("/etc/xdg"));
  for (std::string folder; std::getline(sites, folder, ':');) add(folder);
  return folders;
}

std::string file_name_of(const FileSystemProfile& profile) {
  std::string name = fmt::format("{}-{}-{}-nodes-{}", profile.mount == "/" ? "root" : profile.mount.substr(1),
                                 profile.file_system, profile.nodes, profile.mpi);
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '.'; }, '-');
  return name + ".toml";
}

void require_profile_folder() {
  const std::string folder = user_profile_folder();
  (void)make_folder(folder);
  require_writable_folder(folder);
}

std::string store_profile(const Resources& resources, const FileSystemProfile& profile) {
  std::string path = user_profile_folder() + "/" + file_name_of(profile);
  WholeTextFile file(resources, path);
  file.write(text_of(profile));
  file.finish();
  return path;
}

std::string reason_against(const FileSystemProfile& profile, int nodes, const std::string& mpi,
                           std::chrono::sys_days today) {
  const std::chrono::days age = today - profile.made;
  if (age < std::chrono::days(0)) return "its date is in the future";
  if (age > max_profile_age) return fmt::format("it is {} days old", age.count());
  if (profile.nodes != nodes) return fmt::format("it was made on {} nodes, but this run has {}", profile.nodes, nodes);
  if (profile.mpi != mpi) return fmt::format("it was made with {}, but this is {}", profile.mpi, mpi);
  return {};
}

FoundProfiles find_profiles(Communicator& comm) {
  FoundProfiles found;
  std::string notes;
  run_on_rank(comm, 0, [&] {
    const int nodes = node_count(comm);
    const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    std::vector<Refused> refused;
    for (const std::string& folder : profile_folders()) {
      for (const std::string& path : files_of(folder)) {
        try {
          const FileSystemProfile profile = profile_in(path);
          const Mount mount = mount_of(profile.mount);
          // It may belong to another machine, because home folders are shared.
          if (mount.point != profile.mount || mount.file_system != profile.file_system) continue;
          const std::string reason = reason_against(profile, nodes, mpi_library(), today);
          if (reason.empty()) {
            found.costs.push_back({mount.device, profile.made, profile.costs});
          } else {
            refused.push_back({mount.device, note_of(path, reason)});
          }
        } catch (const Error& error) {
          refused.push_back({0, note_of(path, error.parts().problem)});
        }
      }
    }
    for (const Refused& each : refused) {
      if (std::ranges::find(found.costs, each.device, &MeasuredCosts::device) != found.costs.end()) continue;
      notes += (notes.empty() ? "" : "\n") + each.note;
    }
  });
  broadcast_all(comm, found.costs, 0);
  broadcast_all(comm, notes, 0);
  std::istringstream lines(notes);
  for (std::string line; std::getline(lines, line);) found.notes.push_back(line);
  return found;
}

}  // namespace sill
