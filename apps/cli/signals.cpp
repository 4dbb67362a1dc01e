#include "cli/signals.hpp"

#include <csignal>
#include <unistd.h>

#include <initializer_list>

#include "sill/store/part_file.hpp"

namespace sill::cli {
namespace {

// Only calls that are safe in a handler. The other ranks, if there are any, are ended by their launcher and do the same.
void on_signal(int signal) {
  sill::remove_part_files_of_process();
  ::_exit(128 + signal);
}

}  // namespace

void install_signal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigfillset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace sill::cli
