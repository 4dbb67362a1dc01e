#include "sill/store/folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "sill/base/error.hpp"

namespace sill {

std::string existing_folder(const std::string& path) {
  // What is a symbolic link is written where it points to.
  std::error_code error;
  std::filesystem::path place = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  while (!std::filesystem::is_directory(place, error) && place.has_relative_path()) place = place.parent_path();
  return place.string();
}

bool make_folder(const std::string& path) {
  std::error_code failure;
  const bool is_made = std::filesystem::create_directories(path, failure);
  if (failure) throw system_error(failure.value(), "making the folder", {.file = path});
  return is_made;
}

void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw system_error(errno, "opening the folder of the output", {.file = folder});
  const int result = ::fsync(descriptor);
  const int reason = errno;
  ::close(descriptor);
  if (result != 0) throw system_error(reason, "fsync of the folder of the output", {.file = folder});
}

}  // namespace sill
