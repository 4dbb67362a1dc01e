// sill kernel: the I/O of published programs, one command per program.
#include "cli/command.hpp"

namespace sill::cli {

void add_kernel(CLI::App& program, Commands& commands) {
  CLI::App& kernels = *program.add_subcommand(
      "kernel",
      "Write the output of a published program, and measure it\n"
      "Reproduces only the output, not the computation; --against compares several ways to write.");
  kernels.require_subcommand(1);
  kernels.footer("`sill kernel NAME --help` describes a kernel and gives examples.");
  for (AddCommand* const add : {add_kernel_stations, add_kernel_mslio, add_kernel_surfaces, add_kernel_ior,
                                add_kernel_volume, add_kernel_grid_rows, add_kernel_gccom, add_kernel_subflow,
                                add_kernel_flash, add_kernel_checkpoint, add_kernel_tecplot, add_kernel_records})
    add(kernels, commands);
}

}  // namespace sill::cli
