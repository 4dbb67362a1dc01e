#include "sill/store/free_space.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

#include "sill/store/folder.hpp"

namespace sill {

std::int64_t free_space_bytes(const std::string& path) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(existing_folder(path), error);
  if (error) return 0;
  constexpr std::uintmax_t most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(space.available, most));
}

}  // namespace sill
