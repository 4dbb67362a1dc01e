#include "cli/signals.hpp"

#include <unistd.h>
#include <csignal>
#include <ctime>

#include <initializer_list>

#include "sill/store/part/part_file.hpp"

namespace sill::cli {
namespace {

volatile std::sig_atomic_t one_of_several_ranks = 0;

// Open MPI kills all ranks a millisecond after the first of them has ended. Those that have nothing to remove wait, so
// that the one that has can.
constexpr timespec time_for_other_ranks{0, 300'000'000};

// Only calls that are safe in a handler.
void on_signal(int signal) {
  const bool removed = sill::remove_part_files_of_process();
  if (!removed && one_of_several_ranks != 0) ::nanosleep(&time_for_other_ranks, nullptr);
  ::_exit(128 + signal);
}

}  // namespace

void install_signal_handlers() {
  // Beyond a limit on file sizes a write then fails with EFBIG, which is reported as any other failure.
  ::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigfillset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

void expect_other_ranks() { one_of_several_ranks = 1; }

}  // namespace sill::cli
