// Logs of Darshan, which records the input and output of any program.
#pragma once

#include <string>
#include <string_view>

#include "sill/io/session/io_report.hpp"

namespace sill {

/// Local. Returns true if `path` is the name of a log: if it ends with .darshan.
[[nodiscard]] bool is_darshan_log(const std::string& path);

/// Local. Returns the content of a log as a report. It has one output for each of the modules POSIX, MPI-IO and STDIO
/// that did anything; `total` excludes MPI-IO, because its requests are counted again under POSIX. Policies are
/// `direct`: each rank writes its own data. Notes report facts that these figures do not show: files that all ranks
/// share, requests that are not aligned, metadata, ranks that took longer. `nodes` is 0, because a log does not state
/// the number of nodes. PyDarshan reads the log; it is run by the python3 in $PATH. Errors: io if there is no python3,
/// or if it does not provide PyDarshan; input if PyDarshan cannot read the log.
[[nodiscard]] IoReport darshan_report(const std::string& path);

/// Local. Returns the report for `lines`, the output of the program that calls PyDarshan: JSON, one line for the job
/// and one for each record. Errors: input. Source: Darshan's darshan-posix-log-format.h, -mpiio- and -stdio-.
[[nodiscard]] IoReport darshan_report_of(std::string_view lines, const std::string& path);

}  // namespace sill
