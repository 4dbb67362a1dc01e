// sill kernel gccom: the netCDF output of a coastal ocean model.
#include <limits>

#include "cli/kernel/kernel_command.hpp"
#include "kernels/gccom.hpp"

namespace sill::cli {

void add_kernel_gccom(CLI::App& kernels, Commands& commands) {
  auto run = std::make_shared<kernels::GccomRun>();
  const KernelCommand kernel = add_kernel_command(
      kernels, commands, "gccom",
      "Output of the General Curvilinear Coastal Ocean Model: a netCDF file with the positions of all points and seven "
      "variables a step. The original collects each variable on rank 0 and writes it by the serial netCDF library, "
      "which "
      "it asks to sync after each",
      "1601 x 6 x 801 points, 10 phases",
      "  sill kernel gccom --verify\n"
      "  mpiexec -n 4 sill kernel gccom --against original,auto\n",
      [run](Communicator&, const KernelArguments& common) -> std::unique_ptr<kernels::Kernel> {
        return std::make_unique<kernels::GccomKernel>(common.setting,
                                                      common.is_paper ? kernels::GccomRun{{1601, 6, 801}, 10} : *run);
      });
  kernel.command.output = "arrays";
  kernel.grid(run->grid);
  kernel.size(kernel.parser.add_option("--phases", run->phases, "Output phases")
                  ->check(CLI::Range(std::int64_t{1}, std::int64_t{std::numeric_limits<int>::max()})));
}

}  // namespace sill::cli
