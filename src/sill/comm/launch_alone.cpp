// Launch in a build without MPI: one process.
#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/comm/launch.hpp"

namespace sill {

bool has_mpi() { return false; }

std::string mpi_library() { return "without MPI"; }

Launch::Launch() : comm_(make_alone()) {
  const std::optional<Announcement> announced = launcher_announcement();
  if (!announced || announced->ranks == 1) return;
  throw Error(
      {.code = ErrorCode::usage,
       .problem = fmt::format("launched by {} ({}), but this program is built without MPI: each of its processes would "
                              "run the complete job",
                              announced->launcher, announced->variable),
       .action = fmt::format("use a build of Sill with MPI, start one process, or unset {} to run as one process",
                             announced->variable.substr(0, announced->variable.find('=')))});
}

Launch::~Launch() = default;

void Launch::abort(int exit_code) { std::_Exit(exit_code); }

}  // namespace sill
