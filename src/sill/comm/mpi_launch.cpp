// Launch by MPI.
#include "sill/comm/launch.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string>

#include "sill/base/error.hpp"
#include "sill/comm/mpi_communicator.hpp"

namespace sill {
namespace {

[[noreturn]] void refuse(const Announcement& announced, int size) {
  throw Error(
      {.code = ErrorCode::usage,
       .problem = fmt::format("launched by {} ({}), but this program is built with {}, which reports {} rank{}: the "
                              "launcher belongs to another MPI, or an earlier launcher left the variable set",
                              announced.launcher, announced.variable, mpi_library(), size, size == 1 ? "" : "s"),
       .action =
           fmt::format("use the launcher of {}, a build of Sill for {}, or unset {} to run as one process",
                       mpi_library(), announced.launcher, announced.variable.substr(0, announced.variable.find('=')))});
}

}  // namespace

bool has_mpi() { return true; }

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string version(text.data(), static_cast<std::size_t>(length));
  // Open MPI: "Open MPI v4.1.4, package: …"; MPICH: "MPICH Version:      4.0.2\nMPICH Release date: …".
  version = version.substr(0, version.find_first_of(",\n"));
  std::string name;
  for (const char c : version) {
    if (c == '\t' || c == ' ') {
      if (!name.empty() && name.back() != ' ') name += ' ';
    } else {
      name += c;
    }
  }
  return name;
}

Launch::Launch() {
  const std::optional<Announcement> announced = launcher_announcement();
  if (!announced || announced->ranks == 1) {
    comm_ = make_alone();
    return;
  }
  start_mpi();
  mpi_ = true;
  comm_ = make_mpi_communicator(MPI_COMM_WORLD);
  // If only the rank is announced, a single rank cannot be distinguished from the first of several.
  const bool agrees =
      announced->ranks == 0 ? comm_->size() > 1 && announced->rank < comm_->size() : announced->ranks <= comm_->size();
  if (!agrees) {
    const int size = comm_->size();
    comm_.reset();
    MPI_Finalize();
    refuse(*announced, size);
  }
}

Launch::~Launch() {
  comm_.reset();
  if (mpi_) MPI_Finalize();
}

void Launch::abort(int exit_code) {
  if (mpi_) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace sill
