#include "sill/io/same_file.hpp"

#include <filesystem>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"

namespace sill {
namespace {

// For files that do not exist yet: the path without detours, as far as it can be followed.
std::filesystem::path canonical(const std::string& path) {
  std::error_code cannot_follow;
  const std::filesystem::path followed = std::filesystem::weakly_canonical(path, cannot_follow);
  return cannot_follow ? std::filesystem::path(path) : std::filesystem::absolute(followed, cannot_follow);
}

}  // namespace

void require_other_file(const Resources& resources, const std::string& output, const std::vector<std::string>& inputs) {
  on_rank(resources.comm, 0, [&] {
    for (const std::string& input : inputs) {
      // Paths that cannot be compared (missing, not permitted) are told where they are opened.
      std::error_code cannot_compare;
      if (std::filesystem::equivalent(output, input, cannot_compare) || canonical(output) == canonical(input)) {
        throw Error({.code = ErrorCode::usage,
                     .problem = "this output is also an input or another output",
                     .where = {.file = output},
                     .action = "name another output; nothing was touched"});
      }
    }
  });
}

}  // namespace sill
