// Logs of Darshan, which counts the input and output of any program.
#pragma once

#include <string>
#include <string_view>

#include "sill/io/session/io_report.hpp"

namespace sill {

/// Local. Whether the name is that of a log: it ends with .darshan.
[[nodiscard]] bool is_darshan_log(const std::string& path);

/// Local. Returns what a log says, as a report with an output for each of its modules POSIX, MPI-IO and STDIO that did
/// anything; `total` is without MPI-IO, whose requests POSIX makes. Policies are `direct`: each rank writes what it
/// has. Notes say what these figures do not: files that all ranks share, requests that are not aligned, metadata,
/// ranks that took longer. `nodes` is 0, for no log knows them. PyDarshan reads the log, by the python3 of the path.
/// Errors: io if there is none, or it has not PyDarshan; input if that does not read the log.
[[nodiscard]] IoReport darshan_report(const std::string& path);

/// Local. The same of what the program that asks PyDarshan prints: JSON, a line for the job and one for each record.
/// Errors: input. Source: Darshan's darshan-posix-log-format.h, -mpiio- and -stdio-.
[[nodiscard]] IoReport darshan_report_of(std::string_view lines, const std::string& path);

}  // namespace sill
