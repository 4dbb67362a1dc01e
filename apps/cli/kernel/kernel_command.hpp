// The common elements of the commands of `sill kernel`: options, run, printed output and report, and the comparison of
// ways to write by measurement.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "kernels/kernel.hpp"
#include "sill/io/session/dataset_layouts.hpp"
#include "sill/layout/box.hpp"

namespace sill::cli {

/// The options of every kernel, as written by the user.
struct KernelArguments {
  kernels::KernelSetting setting;
  bool is_original = false;
  bool verify = false;
  bool is_paper = false;
  std::vector<std::string> against;  ///< ways to write, in the form of `ways_of`
  bool sweeps_hints = false;
  int repeat = 9;
};

/// Creates the kernel that the options specify.
using MakeKernel = std::function<std::unique_ptr<kernels::Kernel>(Communicator& comm, const KernelArguments& common)>;

/// The command of a kernel, to which the kernel's own options are added.
struct KernelCommand {
  CLI::App& parser;
  Command& command;  ///< its `output` is "files" unless the kernel writes a known output
  CLI::Option& original;
  CLI::Option& paper;  ///< excludes the options for sizes

  /// Local. Declares `option` as a size, which excludes `--paper`.
  void size(CLI::Option* option) const {
    option->capture_default_str();
    paper.excludes(option);
  }
  /// Local. Adds a size that is at least 1.
  void count(const char* name, std::int64_t& value, const char* description) const {
    constexpr std::int64_t max = std::numeric_limits<int>::max();
    size(parser.add_option(name, value, description)->check(CLI::Range(std::int64_t{1}, max)));
  }
  /// Local. Adds the size `--grid`, such as "520x370x140": points in x, y and z.
  void grid(Index& points) const;
  /// Local. Adds `--lend`, which excludes `--original`.
  void lend(bool& lends) const {
    parser
        .add_flag("--lend", lends,
                  "With async=K: write directly from the program's arrays, which do not change until the output phase "
                  "is complete")
        ->excludes(&original);
  }
};

/// Local. Adds a kernel command `name`. `paper_sizes` describes the sizes of `--paper`. With
/// `writes_netcdf`, PnetCDF can write the datasets: adds `--sweep-hints`.
[[nodiscard]] KernelCommand add_kernel_command(CLI::App& kernels, Commands& commands, const std::string& name,
                                               const std::string& description, const std::string& paper_sizes,
                                               const std::string& examples, MakeKernel make,
                                               bool writes_netcdf = false);

/// A way to write: a policy, PnetCDF, or the method of the original program.
struct Way {
  std::string text;                            ///< as written by the user
  std::optional<Policy> policy;                ///< nullopt: the method of the original program
  std::optional<DatasetLayouts> layouts = {};  ///< layouts that select PnetCDF; nullopt: other ways
  std::string hints = {};                      ///< hints for PnetCDF, in the form of PNETCDF_HINTS
};

/// Local. Returns the ways in texts such as "original,staged,stage=64K,elected". A preset, `original`, or the first
/// axis of a text starts a way; further axes change it. `pnetcdf` and `pnetcdf:HINT=VALUE;HINT=VALUE` select the
/// library PnetCDF. Errors: usage for a text that is not a policy, for a way that occurs twice, and for fewer than two
/// ways.
[[nodiscard]] std::vector<Way> ways_of(const std::vector<std::string>& texts);

/// Local. Returns the ways of --sweep-hints: `auto` and PnetCDF: with default hints, with the hints of table 1 of the
/// paper, and with alignments that match nothing.
[[nodiscard]] std::vector<std::string> ways_of_hints();

/// Local. Returns true if the ways, which may be empty, include the original program. Errors: as `ways_of`.
[[nodiscard]] bool has_original(const std::vector<std::string>& texts);

/// Collective. Runs every way `options.repeat` times, in a new random order for each repetition, each in an empty
/// folder. Verifies the written files if requested. Prints significant differences, and adds them to `done`. The files
/// of the last run remain. Errors: as the kernel.
void compare_ways(Session& session, const kernels::Kernel& kernel, const KernelArguments& options, Done& done);

}  // namespace sill::cli
