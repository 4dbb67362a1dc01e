#include "sill/store/posix/unnamed_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "sill/base/error.hpp"

namespace sill {
namespace {

constexpr std::string_view open_files = "/proc/self/fd/";

std::string path_of(int descriptor) { return fmt::format("{}{}", open_files, descriptor); }

}  // namespace

UnnamedFile::UnnamedFile(const std::string& folder) {
  // If the system does not list open files by number, a file can only be opened again by name.
  const bool is_shown = ::access(std::string(open_files).c_str(), F_OK) == 0;
  if (is_shown) descriptor_ = ::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
  if (descriptor_ >= 0) return;
  // Not every file system can create files without a name; mkostemp creates one with access only for its owner.
  name_ = folder + "/sill-XXXXXX";
  descriptor_ = ::mkostemp(name_.data(), O_CLOEXEC);
  if (descriptor_ < 0)
    throw system_error(errno, "making a temporary file", {.file = folder}, "set TMPDIR to another folder");
  if (!is_shown) return;
  ::unlink(name_.c_str());
  name_.clear();
}

UnnamedFile::~UnnamedFile() {
  ::close(descriptor_);
  if (!name_.empty()) ::unlink(name_.c_str());
}

std::string UnnamedFile::path() const { return name_.empty() ? path_of(descriptor_) : name_; }

std::optional<int> unnamed_file_at(const std::string& path) {
  if (!path.starts_with(open_files)) return std::nullopt;
  const char* const end = path.data() + path.size();
  int descriptor = -1;
  const auto [after, failed] = std::from_chars(path.data() + open_files.size(), end, descriptor);
  struct stat status {};
  if (failed != std::errc{} || after != end || ::fstat(descriptor, &status) != 0) return std::nullopt;
  return S_ISREG(status.st_mode) && status.st_nlink == 0 ? std::optional(descriptor) : std::nullopt;
}

// Reads the folder from the system's text "FOLDER/NAME (deleted)".
std::string folder_of_unnamed(int descriptor) {
  std::error_code unknown;
  return std::filesystem::read_symlink(path_of(descriptor), unknown).parent_path().string();
}

}  // namespace sill
