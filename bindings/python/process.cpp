#include "process.hpp"

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <cerrno>
#include <chrono>

#include "sill/base/units.hpp"
#include "sill/comm/node.hpp"
#include "sill/io/session/io_session.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

struct Process {
  std::unique_ptr<Communicator> comm = make_alone();
  IoSession io{*comm};
  Resources& resources = io.resources("segy");
};

}  // namespace

Resources& shared_resources() {
  static Process* const process = new Process;  // never destroyed: surveys may outlive static objects
  return process->resources;
}

void require_memory(std::int64_t bytes) {
  const std::int64_t free = free_memory_bytes();
  if (bytes <= free) return;
  throw Error({.code = ErrorCode::io,
               .problem = fmt::format("the result needs {}, and {} of memory are free", format_bytes(bytes),
                                      format_bytes(free)),
               .action = "read fewer traces at a time",
               .system_error_number = ENOMEM});
}

void check_signals(int thread) {
  using Clock = std::chrono::steady_clock;
  constexpr auto interval = std::chrono::milliseconds(50);
  thread_local Clock::time_point last;
  if (thread != 0 || Clock::now() - last < interval) return;
  last = Clock::now();
  const nb::gil_scoped_acquire python;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace sill::python
