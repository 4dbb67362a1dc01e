#include "cli/signals.hpp"

#include <unistd.h>
#include <csignal>
#include <ctime>

#include <initializer_list>
#include <string_view>

#include "sill/store/part/part_file.hpp"

namespace sill::cli {
namespace {

volatile std::sig_atomic_t one_of_several_ranks = 0;
volatile std::sig_atomic_t is_silent = 0;
volatile std::sig_atomic_t changes_in_place = 0;
volatile std::sig_atomic_t has_terminal = 0;

// Open MPI kills all ranks a millisecond after the first of them has ended. Ranks that have nothing to remove wait, so
// that the rank with a file to remove has time.
constexpr timespec time_for_other_ranks{0, 300'000'000};

void say(std::string_view text) { [[maybe_unused]] const ssize_t written = ::write(2, text.data(), text.size()); }

void say_what_remains(int signal) {
  if (has_terminal != 0) say("\n");  // after the progress line or ^C
  say("sill: stopped by ");
  say(signal == SIGINT ? "Ctrl-C (SIGINT)" : signal == SIGTERM ? "SIGTERM" : "SIGHUP");
  say(changes_in_place != 0
          ? ": the file is unchanged or, if the edit had begun, can be restored with 'sill edit FILE --recover'\n"
          : ": incomplete outputs are removed, unless --resume keeps them (a Zarr folder .NAME.sill-new: by the next "
            "run); "
            "each target is complete or unchanged\n");
}

// Makes only calls that are safe in a signal handler.
void on_signal(int signal) {
  const bool removed = sill::remove_part_files_of_process();
  const bool is_asked = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
  if (is_asked && is_silent == 0) say_what_remains(signal);
  if (!removed && one_of_several_ranks != 0) ::nanosleep(&time_for_other_ranks, nullptr);
  ::_exit(128 + signal);
}

}  // namespace

void install_signal_handlers() {
  has_terminal = ::isatty(2);
  // A write beyond the limit on file sizes then fails with EFBIG, which is reported like any other failure.
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

void expect_other_ranks(bool is_first) {
  one_of_several_ranks = 1;
  is_silent = is_first ? 0 : 1;
}

void expect_change_in_place() { changes_in_place = 1; }

}  // namespace sill::cli
