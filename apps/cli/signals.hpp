// The behaviour of the program on signals.
#pragma once

namespace sill::cli {

/// Local. Installs handlers for the signals that would end the program (SIGINT, SIGTERM, SIGHUP, SIGPIPE and others).
/// They remove the unfinished output, report this on standard error for SIGINT, SIGTERM and SIGHUP, and end the process
/// with 128 + the signal's number. Signals that were ignored remain ignored.
void install_signal_handlers();

/// Local. Informs the handlers that this process is one of several ranks, of which only the first prints messages.
void expect_other_ranks(bool is_first);

/// Local. Informs the handlers that files are changed in place from now on. On a signal they then print the state of
/// these files.
void expect_change_in_place();

}  // namespace sill::cli
