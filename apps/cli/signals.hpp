// How the program stops on a signal.
#pragma once

namespace sill::cli {

/// Local. From now on the signals that would end the program (SIGINT, SIGTERM, SIGHUP, SIGPIPE and others) remove the
/// unfinished output, say so on standard error where a person or a system asked for the end (SIGINT, SIGTERM, SIGHUP),
/// and end the process with 128 + the signal's number. Signals that were ignored stay ignored.
void install_signal_handlers();

/// Local. Tells the handlers that this process is one of several ranks, of which the first one speaks.
void expect_other_ranks(bool is_first);

/// Local. From now on files are changed where they lie: what remains then is said on a signal.
void expect_change_in_place();

}  // namespace sill::cli
