#include "sill/store/posix/free_space.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <system_error>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/store/posix/folder.hpp"

namespace sill {

namespace {

// Returns the space of the file system that holds `path`; all values are zero if the system does not report it.
std::filesystem::space_info space_of(const std::string& path) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(existing_folder(path), error);
  return error ? std::filesystem::space_info{} : space;
}

}  // namespace

std::int64_t free_space_bytes(const std::string& path) {
  constexpr std::uintmax_t max = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(space_of(path).available, max));
}

std::int64_t block_bytes_of(const std::string& path) {
  struct statvfs status {};
  if (::statvfs(existing_folder(path).c_str(), &status) != 0 || status.f_frsize == 0) return 1;
  return static_cast<std::int64_t>(std::min<std::uintmax_t>(status.f_frsize, 4096));
}

void require_free_space(const std::string& path, std::int64_t bytes, const std::string& action) {
  const std::filesystem::space_info space = space_of(path);
  if (space.capacity == 0 || bytes <= 0 || static_cast<std::uintmax_t>(bytes) <= space.available) return;
  throw Error({.code = ErrorCode::io,
               .problem = fmt::format("the files need {}, but only {} are free", format_bytes(bytes),
                                      format_bytes(static_cast<std::int64_t>(space.available))),
               .where = {.file = path},
               .action = action,
               .system_error_number = ENOSPC});
}

}  // namespace sill
