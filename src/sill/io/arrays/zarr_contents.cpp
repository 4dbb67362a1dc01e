#include "sill/io/arrays/zarr_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/files/small_text.hpp"

namespace sill {
namespace {

constexpr std::int64_t max_metadata_bytes = 64 << 20;

// Returns the names of the folders in a folder, in ascending order; none if there is no folder.
std::vector<std::string> folders_in(const std::string& path) {
  std::error_code error;
  std::vector<std::string> folders;
  for (std::filesystem::directory_iterator each(path, error), end; !error && each != end; each.increment(error)) {
    if (std::error_code of_link; each->is_directory(of_link)) folders.push_back(each->path().filename().string());
  }
  if (error && error != std::errc::no_such_file_or_directory)
    throw system_error(error.value(), "reading the folder", {.file = path});
  std::ranges::sort(folders);
  return folders;
}

// Returns the files below the folder of an array, "u/", that have names of chunks and are `wanted`, relative to it: at
// most `max`; none if there is no folder.
std::vector<std::string> chunk_files(const std::string& folder, std::size_t max,
                                     const std::function<bool(const std::string&)>& wanted) {
  std::error_code error;
  std::vector<std::string> files;
  const std::filesystem::recursive_directory_iterator end;
  for (std::filesystem::recursive_directory_iterator each(folder, error); !error && each != end && files.size() < max;
       each.increment(error)) {
    const std::string name = each->path().string().substr(folder.size());
    const bool is_chunk =
        std::ranges::all_of(std::filesystem::path(name), [](const auto& part) { return is_chunk_name(part.string()); });
    if (std::error_code of_link; is_chunk && !each->is_directory(of_link) && wanted(name)) files.push_back(name);
  }
  if (error && error != std::errc::no_such_file_or_directory)
    throw system_error(error.value(), "reading the folder", {.file = folder});
  return files;
}

// Returns true if a file describes a group, and there is no folder in its folder.
bool is_empty_group(const zarr::MetadataFile& file, const std::string& folder) {
  const bool may_be_array = file.name != ".zgroup" && file.text.find("\"group\"") == std::string::npos;
  if (may_be_array || file.name == ".zattrs" || !folders_in(folder).empty()) return false;
  bool is_array = true;  // or damaged
  (void)attempt([&] { is_array = zarr::is_array(file, folder); });
  return !is_array;
}

}  // namespace

std::vector<zarr::MetadataFile> read_zarr_metadata(const std::string& path) {
  std::error_code error;
  const auto read = [&](const std::string& folder, const char* name) -> std::optional<zarr::MetadataFile> {
    const std::string file = fmt::format("{}/{}{}", path, folder, name);
    const bool exists = std::filesystem::exists(file, error);
    if (error) throw system_error(error.value(), "stat", {.file = file});
    if (!exists) return std::nullopt;
    std::optional<std::string> text = read_small_text(file, max_metadata_bytes);
    if (!text)
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("the metadata is longer than {}", format_bytes(max_metadata_bytes)),
                   .where = {.file = file},
                   .action = "docs/arrays.md lists the supported files"});
    return zarr::MetadataFile{folder, name, std::move(*text)};
  };
  const auto without_empty = [&](std::vector<zarr::MetadataFile> files) {
    std::erase_if(files, [&](const zarr::MetadataFile& each) {
      return !each.folder.empty() && is_empty_group(each, path + "/" + each.folder);
    });
    return files;
  };
  for (const char* const name : {"zarr.json", ".zmetadata"}) {
    const auto file = read("", name);
    if (!file) continue;
    if (auto files = zarr::consolidated(*file, path)) return without_empty(std::move(*files));
  }
  std::vector<std::string> folders{""};
  for (const std::string& each : folders_in(path)) folders.push_back(each + "/");
  std::vector<zarr::MetadataFile> all;
  for (const std::string& folder : folders) {
    for (const char* const name : {"zarr.json", ".zgroup", ".zarray", ".zattrs"}) {
      if (auto file = read(folder, name)) all.push_back(std::move(*file));
    }
  }
  return without_empty(std::move(all));
}

bool is_chunk_name(const std::string& name) {
  return !name.starts_with('.') && name.find_first_not_of("0123456789.", name.starts_with('c') ? 1 : 0) == name.npos;
}

std::vector<std::string> surplus_in_folder(const std::string& path, const std::vector<zarr::MetadataFile>& metadata,
                                           const zarr::Dataset& dataset, bool is_for_append) {
  const std::size_t max = is_for_append ? 1 : std::numeric_limits<std::size_t>::max();
  std::vector<std::string> surplus;
  for (std::size_t v = 0; v < dataset.forms.size() && surplus.size() < max; ++v) {
    const zarr::ArrayForm& form = dataset.forms[v];
    const Variable& variable = dataset.description.variables[v];
    Index counts = form.shards().counts();
    if (is_for_append && dataset.description.has_steps(variable)) counts[0] = farthest_index;
    const std::vector<std::string> others =
        chunk_files(path + "/" + dataset.folders[v], max, [&](const std::string& file) {
          const std::optional<Index> index = form.index_of(file);
          return !index || !std::ranges::equal(*index, counts, std::less());
        });
    if (others.empty()) continue;
    surplus.push_back(fmt::format("array {}: {} of chunks {} not part of it: {}", variable.name,
                                  others.size() == 1 ? "1 file" : fmt::format("{} files", others.size()),
                                  others.size() == 1 ? "is" : "are", std::ranges::min(others)));
  }
  std::set<std::string> known;
  for (const zarr::MetadataFile& each : metadata)
    if (each.name != ".zattrs") known.insert(each.folder);
  const bool is_array = std::ranges::any_of(
      metadata, [&](const zarr::MetadataFile& each) { return each.folder.empty() && zarr::is_array(each, path); });
  for (const std::string& folder : folders_in(path)) {
    if (surplus.size() >= max) break;
    if (known.contains(folder + "/") || (is_array && is_chunk_name(folder))) continue;
    const std::string there = path + "/" + folder + "/";
    std::error_code error;
    const bool has_metadata = std::filesystem::exists(there + "zarr.json", error);
    if (has_metadata || std::filesystem::exists(there + ".zarray", error)) {
      const zarr::MetadataFile file{
          "", "zarr.json", has_metadata ? read_small_text(there + "zarr.json", max_metadata_bytes).value_or("") : ""};
      if (!is_empty_group(file, there))
        surplus.push_back(fmt::format("folder {}: the consolidated metadata do not list it", echoed(folder)));
    } else if (!chunk_files(there, 1, [](const std::string&) { return true; }).empty()) {
      surplus.push_back(fmt::format("folder {}: it has chunks, but no metadata", echoed(folder)));
    }
  }
  return surplus;
}

}  // namespace sill
