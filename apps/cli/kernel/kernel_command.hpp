// The common elements of the commands of `sill kernel`: options, run, printed output and report.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/kernel/kernel_comparison.hpp"
#include "kernels/kernel.hpp"
#include "sill/layout/box.hpp"

namespace sill::cli {

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

/// Local. Adds a kernel command `name`. `paper_sizes` describes the sizes of `--paper`.
[[nodiscard]] KernelCommand add_kernel_command(CLI::App& kernels, Commands& commands, const std::string& name,
                                               const std::string& description, const std::string& paper_sizes,
                                               const std::string& examples, MakeKernel make);

}  // namespace sill::cli
