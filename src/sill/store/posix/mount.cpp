#include "sill/store/posix/mount.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "sill/store/posix/folder.hpp"

namespace sill {
namespace {

// Decodes blanks and backslashes, which are written as three octal digits.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 3 >= text.size()) {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return plain;
}

bool holds(const std::string& point, const std::string& path) {
  if (point == "/") return true;
  return path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/');
}

}  // namespace

Mount mount_of(const std::string& absolute_path, const std::string& mount_info) {
  Mount found;
  std::istringstream lines(mount_info);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    std::string point;
    for (int i = 0; i < 5 && words >> word; ++i) point = word;
    while (words >> word && word != "-") {
    }
    std::string type;
    if (!(words >> type)) continue;
    point = unescaped(point);
    // If several are mounted at one point, the last hides the others.
    if (holds(point, absolute_path) && point.size() >= found.point.size()) found = {point, type, 0};
  }
  return found;
}

Mount mount_of(const std::string& path) {
  const std::string folder = existing_folder(path);
  std::error_code failure;
  const std::filesystem::path real = std::filesystem::canonical(folder, failure);
  std::ifstream file("/proc/self/mountinfo");
  Mount found = mount_of(failure ? folder : real.string(), std::string(std::istreambuf_iterator<char>(file), {}));
  found.device = device_of(folder);
  return found;
}

std::uint64_t device_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_dev : 0;
}

}  // namespace sill
