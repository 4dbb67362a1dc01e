#include "sill/store/free_space.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

namespace sill {

std::int64_t free_space_bytes(const std::string& path) {
  // A target that is a symbolic link is written where it points to.
  std::error_code error;
  const std::filesystem::path file = std::filesystem::weakly_canonical(path, error);
  if (error) return 0;
  const std::filesystem::space_info space = std::filesystem::space(file.parent_path(), error);
  if (error) return 0;
  constexpr std::uintmax_t most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(space.available, most));
}

}  // namespace sill
