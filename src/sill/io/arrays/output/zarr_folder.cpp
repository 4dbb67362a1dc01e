#include "sill/io/arrays/output/zarr_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/zarr/zarr_array.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/arrays/zarr_contents.hpp"
#include "sill/io/files/small_text.hpp"
#include "sill/store/part/left_part_files.hpp"
#include "sill/store/part/part_name.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;

constexpr const char* old_folder_ending = "old";

constexpr std::array<std::string_view, 5> metadata_names{"zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata"};

bool is_metadata_name(const std::string& name) {
  return std::ranges::find(metadata_names, name) != metadata_names.end();
}

// Returns a file of the dataset `path`; nullopt if there is none.
std::optional<zarr::MetadataFile> metadata_file(const std::string& path, const std::string& folder, const char* name) {
  const std::string file = fmt::format("{}/{}{}", path, folder, name);
  if (!fs::is_regular_file(status_at(file))) return std::nullopt;
  constexpr std::int64_t max_bytes = 64 << 20;
  return zarr::MetadataFile{folder, name, read_small_text(file, max_bytes).value_or("")};
}

// Searches a folder for what the metadata of a dataset does not explain.
class ForeignEntry {
 public:
  explicit ForeignEntry(const std::string& path) : path_(path) {
    for (const char* const name : {"zarr.json", ".zmetadata"}) {
      const std::optional<zarr::MetadataFile> file = metadata_file(path, "", name);
      if (!file) continue;
      (void)attempt([&] {  // damaged metadata lists nothing
        const std::optional<std::vector<zarr::MetadataFile>> all = zarr::consolidated(*file, path);
        if (!all) return;
        for (const zarr::MetadataFile& each : *all) listed_.push_back(each.folder);
      });
    }
  }

  // Returns the first foreign entry, relative to the dataset.
  [[nodiscard]] std::optional<std::string> find() const { return find_in("", is_array("")); }

 private:
  // `folder` is relative to the dataset: "u/".
  [[nodiscard]] std::optional<std::string> find_in(const std::string& folder, bool is_of_array) const {
    std::error_code error;
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator each(path_ + "/" + folder, error), end; !error && each != end; each.increment(error)) {
      const std::string name = each->path().filename().string();
      const fs::file_type type = each->symlink_status(error).type();
      if (error) break;
      const bool is_chunk = is_of_array && is_chunk_name(name);
      if (type == fs::file_type::directory) {
        const std::string below = folder + name + "/";
        const bool is_own_array = !is_chunk && is_array(below);
        if (!is_chunk && !is_own_array && !is_listed(below)) return folder + name;
        if (auto found = find_in(below, is_chunk || is_own_array)) return found;
      } else if (type != fs::file_type::regular || !(is_chunk || is_metadata_name(name) || parse_part_name(name))) {
        return folder + name;
      }
    }
    if (error) throw system_error(error.value(), "reading the folder", {.file = path_ + "/" + folder});
    return std::nullopt;
  }

  [[nodiscard]] bool is_array(const std::string& folder) const {
    bool is_array = false;
    for (const char* const name : {"zarr.json", ".zarray"}) {
      const std::optional<zarr::MetadataFile> file = metadata_file(path_, folder, name);
      (void)attempt([&] { is_array = is_array || (file && zarr::is_array(*file, path_)); });
    }
    return is_array;
  }

  [[nodiscard]] bool is_listed(const std::string& folder) const {
    return std::ranges::any_of(listed_, [&](const std::string& each) { return each.starts_with(folder); });
  }

  std::string path_;
  std::vector<std::string> listed_;
};

// Returns true if a run that was killed left nothing but part files of metadata in the folder.
bool has_only_left_metadata(const std::string& path) {
  std::error_code error;
  const fs::directory_iterator entries(path, error);
  return !error && std::all_of(begin(entries), end(entries), [](const fs::directory_entry& each) {
    const std::string name = each.path().filename().string();
    const std::optional<PartName> part = parse_part_name(name);
    const auto is_of_part = [&](std::string_view of) { return part && part->prefix == part_prefix_of(of); };
    return std::ranges::any_of(metadata_names, is_of_part) && !is_held(each.path().string());
  });
}

}  // namespace

std::string without_last_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

bool is_zarr_folder(const std::string& path) {
  std::error_code error;
  const auto has = [&](const char* name) { return fs::exists(fs::path(path) / name, error); };
  return has("zarr.json") || has(".zgroup") || has(".zarray");
}

void require_place_of_group(const std::string& path, bool replaces) {
  const fs::file_status status = status_at(path);
  std::error_code error;
  if (!fs::exists(status) || (fs::is_directory(status) && fs::is_empty(path, error))) return;
  if (replaces && fs::is_directory(status) && has_only_left_metadata(path)) return;
  if (!replaces) require_nothing_at(path);
  if (!fs::is_directory(status) || !is_zarr_folder(path))
    refuse_dataset(path, "it is not a group of Zarr and is not replaced", "remove it, or name another folder");
  if (const std::optional<std::string> foreign = ForeignEntry(path).find()) {
    refuse_dataset(
        path, fmt::format("it contains {}, which is not part of the dataset, so it is not replaced", echoed(*foreign)),
        "move that elsewhere, or name another folder; nothing was changed");
  }
}

std::string hidden_folder(const std::string& path, std::string_view ending) {
  const std::size_t name = path.rfind('/') + 1;
  return path.substr(0, name) + part_prefix_of(path.substr(name)).append(ending);
}

void rename_folder(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) throw system_error(errno, "renaming a dataset", {.file = to});
}

void remove_folder(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) throw system_error(error.value(), "removing the dataset of an earlier run", {.file = path});
}

void mend_left_folders(const std::string& path) {
  const std::string unfinished = hidden_folder(path, new_folder_ending);
  const std::string old = hidden_folder(path, old_folder_ending);
  remove_folder(unfinished);
  if (!fs::exists(status_at(old))) return;
  rename_folder(old, is_zarr_folder(path) ? unfinished : path);
  remove_folder(unfinished);
}

bool rename_over(const std::string& from, const std::string& path, bool replaces) {
  require_place_of_group(path, replaces);
  if (std::rename(from.c_str(), path.c_str()) == 0) return false;
  const auto fail = [&](int reason) {
    throw system_error(reason, "renaming the complete dataset to its name", {.file = path});
  };
  if (!replaces || (errno != ENOTEMPTY && errno != EEXIST)) fail(errno);
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) fail(errno);
  // This file system cannot exchange two names. If the program is killed between the calls, the next run calls
  // `mend_left_folders`.
  const std::string old = hidden_folder(path, old_folder_ending);
  rename_folder(path, old);
  if (const std::optional<Error> error = attempt([&] { rename_folder(from, path); })) {
    (void)std::rename(old.c_str(), path.c_str());
    throw Error(*error);
  }
  rename_folder(old, from);
  return true;
}

}  // namespace sill
