#include "communicator.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "errors.hpp"
#include "process.hpp"
#include "sill/comm/launcher.hpp"
#include "sill/comm/mpi_communicator.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

constexpr const char* install_again =
    "install mpi4py and Sill with the same MPI: `SILL_MPI=any pip install .` in the source of Sill takes the MPI of "
    "mpicc";

std::string library_of(const nb::handle& mpi) {
  const std::string text = nb::str(mpi.attr("Get_library_version")()).c_str();  // up to a byte of value 0
  return text;
}

std::string own_library() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return text.c_str();
}

// Returns the handle that an object of mpi4py contains. Precondition: handles have the size of those of this MPI.
MPI_Comm handle_of(const nb::handle& mpi, const nb::handle& comm) {
  MPI_Comm handle = MPI_COMM_NULL;
  std::memcpy(&handle, reinterpret_cast<const void*>(nb::cast<std::uintptr_t>(mpi.attr("_addressof")(comm))),
              sizeof handle);
  return handle;
}

// The handles of COMM_WORLD alone do not show whether the libraries are the same: in some families of MPI the handle is
// an address in the library, in others a constant. So the versions are compared too, and whether both are initialized.
void require_same_library(const nb::handle& mpi) {
  int is_running = 0;
  const nb::object world = mpi.attr("COMM_WORLD");
  const bool is_same = nb::cast<std::size_t>(mpi.attr("_sizeof")(world)) == sizeof(MPI_Comm) &&
                       handle_of(mpi, world) == MPI_COMM_WORLD && library_of(mpi) == own_library();
  MPI_Initialized(&is_running);
  if (is_same && (is_running != 0) == nb::cast<bool>(mpi.attr("Is_initialized")())) return;
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  refuse("mpi4py uses another MPI library (" + first_line(library_of(mpi)) + ") than Sill (" +
             first_line(own_library()) + ")",
         install_again);
}

}  // namespace

void require_one_writer(const nb::object& comm) {
  const std::optional<Announcement> announced = launcher_announcement();
  if (!comm.is_none() || !announced) return;
  // A process that MPI started alone has variables of launchers, too, which its children inherit: they do not announce
  // the number of processes.
  int size = announced->ranks;
  int is_running = 0;
  MPI_Initialized(&is_running);
  if (is_running != 0 && !has_mpi_ended()) MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size <= 1) return;
  refuse(fmt::format("launched by {} ({}), but comm is not given: each of its processes would write the file",
                     announced->launcher, announced->variable),
         fmt::format("pass comm=MPI.COMM_WORLD of mpi4py, and the processes write one file together; or "
                     "comm=MPI.COMM_SELF, or unset {}, if only this process writes this file",
                     announced->variable.substr(0, announced->variable.find('='))));
}

bool has_mpi_ended() {
  int has_ended = 0;
  MPI_Finalized(&has_ended);
  return has_ended != 0;
}

std::unique_ptr<Communicator> make_communicator(const nb::object& comm, Thread used_on) {
  if (comm.is_none()) return make_alone();
  const nb::object mpi = nb::module_::import_("sys").attr("modules").attr("get")("mpi4py.MPI");
  if (mpi.is_none() || !nb::isinstance(comm, mpi.attr("Comm"))) {
    refuse(
        "comm is no communicator of mpi4py, but of type " + std::string(nb::str(comm.type().attr("__name__")).c_str()),
        "pass a communicator such as mpi4py.MPI.COMM_WORLD, or none for this process alone");
  }
  require_same_library(mpi);
  require_mpi_running();
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (used_on == Thread::other && level < MPI_THREAD_SERIALIZED)
    refuse("MPI was started without threads, but commands run on a thread of their own",
           "leave mpi4py.rc.thread_level at its default, \"multiple\"");
  const MPI_Comm handle = handle_of(mpi, comm);
  require_intracommunicator(handle);
  return without_gil([&] { return make_mpi_communicator(handle); });
}

}  // namespace sill::python
