#include "sill/store/part/part_name.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <span>

#include "sill/base/crc32.hpp"

namespace sill {
namespace {

constexpr std::size_t longest_name = 255;
constexpr std::string_view marker = ".sill-";
constexpr std::string_view ending = ".part";
constexpr std::size_t group_digits = 8;
constexpr std::size_t id_digits = 16;

}  // namespace

std::optional<PartName> parse_part_name(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(ending)) return std::nullopt;
  name.remove_suffix(ending.size());
  if (name.size() < 2 + marker.size() + id_digits) return std::nullopt;
  const std::string_view id = name.substr(name.size() - id_digits);
  name.remove_suffix(id_digits);
  if (!name.ends_with(marker) || id.find_first_not_of("0123456789abcdef") != id.npos) return std::nullopt;
  return PartName{name, id.substr(0, group_digits)};
}

std::string part_prefix_of(std::string_view name) {
  constexpr std::size_t max_bytes = longest_name - 1 - marker.size() - id_digits - ending.size();
  if (name.size() <= max_bytes) return fmt::format(".{}{}", name, marker);
  return fmt::format(".{}~{:08x}{}", name.substr(0, max_bytes - 9), crc32_of(std::as_bytes(std::span(name))), marker);
}

std::string part_name(std::string_view prefix, std::string_view group, std::string_view number) {
  return fmt::format("{}{}{}{}", prefix, group, number, ending);
}

std::string target_of_part(const std::string& path) {
  if (path.find(marker) == path.npos) return path;  // the usual case
  const std::string of_folder = std::string(marker).append(new_folder_ending);
  if (const std::size_t end = path.find(of_folder + "/"), at = path.rfind("/.", end) + 1;
      end != path.npos && path[at] == '.')
    return target_of_part(path.substr(0, at) + path.substr(at + 1, end - at - 1) + path.substr(end + of_folder.size()));
  const std::filesystem::path file(path);
  const std::string name = file.filename().string();
  std::string_view prefix;
  if (const std::optional<PartName> parts = parse_part_name(name)) {
    prefix = parts->prefix;
  } else if (name.starts_with('.') && name.ends_with(std::string(marker).append(kept_part_ending))) {
    prefix = std::string_view(name).substr(0, name.size() - kept_part_ending.size());
  } else if (name.starts_with('.') && name.ends_with(of_folder)) {
    prefix = std::string_view(name).substr(0, name.size() - new_folder_ending.size());
  } else {
    return path;
  }
  return (file.parent_path() / prefix.substr(1, prefix.size() - 1 - marker.size())).string();
}

}  // namespace sill
