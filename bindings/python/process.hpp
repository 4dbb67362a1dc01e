// The state that all objects of a Python process share: the session, the free memory, and signals.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "sill/comm/communicator.hpp"
#include "sill/io/session/io_session.hpp"

namespace sill::python {

/// The session of surveys on a communicator, without a report.
struct Io {
  /// Collective. Opens it. The options of the environment apply (docs/options.md). Errors: as IoSession.
  explicit Io(std::unique_ptr<Communicator> on);

  std::unique_ptr<Communicator> comm;
  IoSession io;
  Resources& resources;
};

/// Local. Returns the resources of surveys. The options of the environment apply (docs/options.md). Errors: as
/// IoSession, at the first call. Thread-safe.
[[nodiscard]] Resources& shared_resources();

/// Local. Checks that `bytes` more bytes fit the memory of this process; up to 1 MiB is not checked. Errors: io, with
/// ENOMEM.
void require_memory(std::int64_t bytes);

/// Local. Runs `call`, which waits for the GIL. When the interpreter ends, this function does not return: Python would
/// end the thread, and with it the process, because C++ functions are on the stack. (Python 3.14 blocks such threads,
/// too.)
template <class Call>
void wait_for_gil(const Call& call) {
  struct Guard {
    bool has_gil = false;
    ~Guard() {
      while (!has_gil) ::pause();
    }
  } guard;
  call();
  guard.has_gil = true;
}

/// Local. Runs `work` while other threads of Python run. Precondition: the GIL is held. Errors: as `work`.
template <class Work>
auto without_gil(const Work& work) {
  struct OthersRun {
    PyThreadState* state = PyEval_SaveThread();
    ~OthersRun() {
      wait_for_gil([this] { PyEval_RestoreThread(state); });
    }
  } const others_run;
  return work();
}

/// Local. Runs `work` with the GIL, within `without_gil`. Errors: as `work`.
template <class Work>
auto with_gil(const Work& work) {
  struct Python {
    PyGILState_STATE state{};
    Python() {
      wait_for_gil([this] { state = PyGILState_Ensure(); });
    }
    ~Python() { PyGILState_Release(state); }
  } const python;
  return work();
}

/// Local. Calls a function of Python. At the end of the interpreter it does not return, as `wait_for_gil`. Errors: the
/// exception of Python. Precondition: the GIL is held.
[[nodiscard]] nanobind::object call_python(nanobind::handle function, const nanobind::tuple& arguments);

/// Local. From now on SIGTERM and SIGHUP remove the part files of this process before they end it, as in the program.
/// Signals that have a handler or are ignored do not change. Forked processes keep the part files, which may belong to
/// the parent.
void remove_part_files_on_termination();

/// Few enough bytes for the cache of a core, many enough for one request.
constexpr std::int64_t piece_bytes = std::int64_t{1} << 20U;

/// Local. Calls `work(first, count)` on several threads, for pieces of `count` items of about `item_bytes` bytes.
/// Meanwhile Python can handle signals. `of_bytes`: the size of a piece; `threads`: 0 for the threads of the process.
/// Precondition: the GIL is not held. Errors: as `work` and `check_signals`.
void for_pieces(std::int64_t count, std::int64_t item_bytes,
                const std::function<void(std::int64_t first, std::int64_t count)>& work,
                std::int64_t of_bytes = piece_bytes, int threads = 0);

/// Local. Lets Python handle signals, such as Ctrl-C, if the last check was long enough ago. Does nothing on `thread`
/// other than 0, the thread that called `parallel_for`. Errors: the exception that the handler raised. Precondition:
/// the GIL is not held.
void check_signals(int thread);

}  // namespace sill::python
