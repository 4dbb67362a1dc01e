#include "sill/io/arrays/zarr_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/io/files/small_text.hpp"

namespace sill {

std::vector<zarr::MetadataFile> read_zarr_metadata(const std::string& path) {
  std::error_code error;
  const auto read = [&](const std::string& folder, const char* name) -> std::optional<zarr::MetadataFile> {
    const std::string file = fmt::format("{}/{}{}", path, folder, name);
    const bool exists = std::filesystem::exists(file, error);
    if (error) throw system_error(error.value(), "stat", {.file = file});
    if (!exists) return std::nullopt;
    constexpr std::int64_t max_bytes = 64 << 20;
    std::optional<std::string> text = read_small_text(file, max_bytes);
    if (!text)
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("the metadata is longer than {}", format_bytes(max_bytes)),
                   .where = {.file = file},
                   .action = "docs/arrays.md lists the supported files"});
    return zarr::MetadataFile{folder, name, std::move(*text)};
  };
  for (const char* const name : {"zarr.json", ".zmetadata"}) {
    const auto file = read("", name);
    if (!file) continue;
    if (auto files = zarr::consolidated(*file, path)) return std::move(*files);
  }
  std::vector<std::string> folders{""};
  for (const auto& each : std::filesystem::directory_iterator(path, error)) {
    if (each.is_directory(error)) folders.push_back(each.path().filename().string() + "/");
  }
  if (error) throw system_error(error.value(), "reading the folder", {.file = path});
  std::ranges::sort(folders);
  std::vector<zarr::MetadataFile> all;
  for (const std::string& folder : folders) {
    for (const char* const name : {"zarr.json", ".zgroup", ".zarray", ".zattrs"}) {
      if (auto file = read(folder, name)) all.push_back(std::move(*file));
    }
  }
  return all;
}

}  // namespace sill
