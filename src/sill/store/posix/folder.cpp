#include "sill/store/posix/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "sill/base/error.hpp"
#include "sill/store/posix/unnamed_file.hpp"

namespace sill {

std::string existing_folder(const std::string& path) {
  if (const std::optional<int> unnamed = unnamed_file_at(path)) return folder_of_unnamed(*unnamed);
  // Resolves symbolic links: bytes are written where the link points to.
  std::error_code error;
  std::filesystem::path place = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  while (!std::filesystem::is_directory(place, error) && place.has_relative_path()) place = place.parent_path();
  return place.string();
}

void refuse_dangling_link(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_symlink(path, none) || std::filesystem::exists(path, none)) return;
  throw Error({.code = ErrorCode::io,
               .problem = fmt::format("this is a symbolic link to {}, which does not exist",
                                      std::filesystem::read_symlink(path, none).string()),
               .where = {.file = path},
               .action = "check the target of the link",
               .system_error_number = ENOENT});
}

void require_writable_folder(const std::string& folder) {
  const std::string path = folder.empty() ? "." : folder;
  const int descriptor = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  const int reason = errno;
  if (descriptor < 0 && reason == ENOENT) refuse_dangling_link(path);
  if (descriptor < 0) throw system_error(reason, "opening the folder", {.file = path});
  ::close(descriptor);
  if (::access(path.c_str(), W_OK | X_OK) != 0) throw system_error(errno, "writing into the folder", {.file = path});
}

bool make_folder(const std::string& path) {
  std::error_code failure;
  const bool is_made = std::filesystem::create_directories(path, failure);
  if (failure) refuse_dangling_link(path);
  if (failure) throw system_error(failure.value(), "making the folder", {.file = path});
  return is_made;
}

void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw system_error(errno, "opening the folder", {.file = folder});
  const int result = ::fsync(descriptor);
  const int reason = errno;
  ::close(descriptor);
  if (result != 0) throw system_error(reason, "fsync of the folder", {.file = folder});
}

}  // namespace sill
