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
  add_kernel_stations(kernels, commands);
  add_kernel_mslio(kernels, commands);
  add_kernel_surfaces(kernels, commands);
  add_kernel_ior(kernels, commands);
  add_kernel_volume(kernels, commands);
  add_kernel_grid_rows(kernels, commands);
  add_kernel_gccom(kernels, commands);
  add_kernel_subflow(kernels, commands);
  add_kernel_flash(kernels, commands);
  add_kernel_checkpoint(kernels, commands);
  add_kernel_tecplot(kernels, commands);
  add_kernel_records(kernels, commands);
}

}  // namespace sill::cli
