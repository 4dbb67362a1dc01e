// Ways to write the output of a kernel, measured against each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/kernel/kernel_arguments.hpp"
#include "cli/session.hpp"
#include "kernels/kernel.hpp"
#include "sill/io/session/dataset_layouts.hpp"

namespace sill::cli {

/// A way to write: a policy, PnetCDF, or that of the original program.
struct Way {
  std::string text;                            ///< as the user wrote it
  std::optional<Policy> policy;                ///< nothing: the original's
  std::optional<DatasetLayouts> layouts = {};  ///< of PnetCDF
  std::string hints = {};                      ///< for that, as PNETCDF_HINTS has them
};

/// Local. The ways in texts such as "original,staged,stage=64K,elected": a preset, `original`, or the first axis of a
/// text begins a way, further axes change it. `pnetcdf` and `pnetcdf:HINT=VALUE;HINT=VALUE` are that library. Errors:
/// usage for what is no policy, a way twice, and fewer than two.
[[nodiscard]] std::vector<Way> ways_of(const std::vector<std::string>& texts);

/// Local. The ways of --sweep-hints: PnetCDF with the hints of the paper's table 1, and with alignments that fit
/// nothing.
[[nodiscard]] std::vector<std::string> ways_of_hints();

/// Local. Whether such ways, which may be none, have that of the original program among them. Errors: as `ways_of`.
[[nodiscard]] bool has_original(const std::vector<std::string>& texts);

/// Collective. Runs every way `options.repeat` times, the order drawn anew each time, each in an empty folder; verifies
/// what is written if asked; prints what distinguishes them, and adds it to `done`. The last run's files stay. Errors:
/// as the kernel's.
void compare_ways(Session& session, const kernels::Kernel& kernel, const KernelArguments& options, Done& done);

}  // namespace sill::cli
