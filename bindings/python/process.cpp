#include "process.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "sill/base/threads.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/node.hpp"
#include "sill/store/part/part_file.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

volatile pid_t process_of_part_files = 0;

// Makes only calls that are safe in a signal handler.
void on_termination(int signal) {
  if (::getpid() == process_of_part_files) (void)remove_part_files_of_process();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

// Reading needs no report.
IoOptions options_of(Communicator& comm) {
  IoOptions options = settled(comm, {});
  options.report.clear();
  return options;
}

}  // namespace

Io::Io(std::unique_ptr<Communicator> on)
    : comm(std::move(on)), io(*comm, options_of(*comm)), resources(io.resources("segy")) {}

Resources& shared_resources() {
  static Io* const io = new Io(make_alone());  // never destroyed: surveys may outlive static objects
  return io->resources;
}

void remove_part_files_on_termination() {
  process_of_part_files = ::getpid();
  for (const int signal : {SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = on_termination;
    ::sigaction(signal, &action, nullptr);
  }
}

void require_memory(std::int64_t bytes) {
  // Asking the system takes longer than reading a trace.
  constexpr std::int64_t unchecked_bytes = std::int64_t{1} << 20U;
  if (bytes <= unchecked_bytes) return;
  const std::int64_t free = free_memory_bytes();
  if (bytes <= free) return;
  throw Error({.code = ErrorCode::io,
               .problem = fmt::format("the result needs {}, and {} of memory are free", format_bytes(bytes),
                                      format_bytes(free)),
               .action = "read fewer traces or elements at a time",
               .system_error_number = ENOMEM});
}

nb::object call_python(nb::handle function, const nb::tuple& arguments) {
  PyObject* result = nullptr;
  try {
    result = PyObject_Call(function.ptr(), arguments.ptr(), nullptr);
  } catch (abi::__forced_unwind&) {  // Python ends the thread, which no longer has the GIL
    while (true) ::pause();
  }
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

void for_pieces(std::int64_t count, std::int64_t item_bytes,
                const std::function<void(std::int64_t first, std::int64_t count)>& work, std::int64_t of_bytes,
                int threads) {
  const std::int64_t each = std::max<std::int64_t>(1, item_bytes);
  const std::int64_t most = (of_bytes + each - 1) / each;
  const std::int64_t pieces = (count + most - 1) / most;
  if (pieces < 2) {
    check_signals(0);
    return pieces == 1 ? work(0, count) : void();
  }
  const std::int64_t max = std::min<std::int64_t>(pieces, threads > 0 ? threads : shared_resources().threads());
  // Equally many pieces for each thread; fewer where each piece is a request to a server.
  const std::int64_t rounded = of_bytes > piece_bytes ? pieces : (pieces + max - 1) / max * max;
  const std::int64_t at_once = (count + rounded - 1) / rounded;
  const std::int64_t tasks = (count + at_once - 1) / at_once;
  parallel_for(static_cast<int>(max), tasks, [&](std::int64_t task, int thread) {
    check_signals(thread);
    work(task * at_once, std::min(at_once, count - task * at_once));
  });
}

void check_signals(int thread) {
  using Clock = std::chrono::steady_clock;
  constexpr auto interval = std::chrono::milliseconds(50);
  thread_local Clock::time_point last;
  if (thread != 0 || Clock::now() - last < interval) return;
  last = Clock::now();
  with_gil([] {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  });
}

}  // namespace sill::python
