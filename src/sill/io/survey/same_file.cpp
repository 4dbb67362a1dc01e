#include "sill/io/survey/same_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/survey/index_file.hpp"

namespace sill {
namespace {

// Returns the canonical path as far as it exists, even for files that do not exist yet.
std::filesystem::path canonical(const std::string& path) {
  std::error_code cannot_follow;
  const std::filesystem::path followed = std::filesystem::weakly_canonical(path, cannot_follow);
  return cannot_follow ? std::filesystem::path(path) : std::filesystem::absolute(followed, cannot_follow);
}

// Returns the identity of a file: of an existing file its inode, which is the same for any path or link; otherwise its
// path.
std::string identity_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) return fmt::format("{} {}", found.st_dev, found.st_ino);
  return canonical(path).string();
}

// Returns true if `path` is below the folder `folder`. Both are canonical.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto [in_path, in_folder] = std::ranges::mismatch(path, folder);
  return in_folder == folder.end() && in_path != path.end();
}

}  // namespace

void require_other_file(const Resources& resources, const std::string& output, const std::vector<std::string>& inputs) {
  require_other_files(resources, {output}, inputs);
}

void require_other_files(const Resources& resources, const std::vector<std::string>& outputs,
                         const std::vector<std::string>& inputs) {
  run_on_rank(resources.comm, 0, [&] {
    std::unordered_set<std::string> taken;
    std::vector<std::filesystem::path> folders;  // that are inputs, as those of Zarr
    std::error_code error;
    for (const std::string& input : inputs) {
      taken.insert(identity_of(input));
      if (std::filesystem::is_directory(input, error)) folders.push_back(canonical(input));
    }
    for (const std::string& output : outputs) {
      if (!taken.insert(identity_of(output)).second) {
        throw Error({.code = ErrorCode::usage,
                     .problem = "this output is also an input or another output",
                     .where = {.file = output},
                     .action = "name another output; nothing was changed"});
      }
      if (std::ranges::any_of(folders, [&](const auto& each) { return is_below(canonical(output), each); })) {
        throw Error({.code = ErrorCode::usage,
                     .problem = "this output is in a folder that is an input",
                     .where = {.file = output},
                     .action = "name another output; nothing was changed"});
      }
      if (!std::filesystem::is_directory(output, error)) continue;
      const std::filesystem::path folder = canonical(output);
      for (const std::string& input : inputs) {
        if (!is_below(canonical(input), folder)) continue;
        throw Error({.code = ErrorCode::usage,
                     .problem = fmt::format("this output is a folder that contains the input {}", echoed(input)),
                     .where = {.file = output},
                     .action = "name another output; nothing was changed"});
      }
    }
  });
}

std::vector<std::string> with_kept_beside(std::vector<std::string> paths) {
  const std::size_t files = paths.size();
  for (std::size_t i = 0; i < files; ++i) {
    paths.push_back(index_path_of(paths[i]));
    paths.push_back(journal_path_of(paths[i]));
  }
  return paths;
}

std::vector<std::int64_t> first_of_same_files(const Resources& resources, const std::vector<std::string>& paths) {
  std::vector<std::int64_t> firsts(paths.size());
  run_on_rank(resources.comm, 0, [&] {
    std::map<std::pair<dev_t, ino_t>, std::int64_t> seen;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      struct stat found {};
      const auto own = static_cast<std::int64_t>(i);
      const bool is_there = ::stat(paths[i].c_str(), &found) == 0;
      firsts[i] = is_there ? seen.try_emplace({found.st_dev, found.st_ino}, own).first->second : own;
    }
  });
  resources.comm.broadcast(std::as_writable_bytes(std::span(firsts)), 0);
  return firsts;
}

}  // namespace sill
