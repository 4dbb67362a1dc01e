// How the program stops on a signal.
#pragma once

namespace sill::cli {

/// Local. From now on the signals that would end the program (SIGINT, SIGTERM, SIGHUP, SIGPIPE and others) remove the
/// unfinished output and end the process with 128 + the signal's number. Signals that were ignored stay ignored.
void install_signal_handlers();

/// Local. Tells the handlers that this process is one of several ranks.
void expect_other_ranks();

}  // namespace sill::cli
