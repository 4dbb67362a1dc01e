// sill kernel grid-rows: snapshots of a grid in short rows.
#include <limits>

#include "cli/kernel/kernel_command.hpp"
#include "kernels/grid_rows.hpp"

namespace sill::cli {

void add_kernel_grid_rows(CLI::App& kernels, Commands& commands) {
  auto run = std::make_shared<kernels::GridRowsRun>();
  const KernelCommand kernel =
      add_kernel_command(kernels, commands, "grid-rows",
                         "Write snapshots of a grid that is distributed in x and y\n"
                         "Short rows of the ranks alternate in each file; the original collects them on rank 0.",
                         "the default sizes, which give rows of 96 bytes on 4 ranks",
                         "  sill kernel grid-rows --verify\n"
                         "  mpiexec -n 4 sill kernel grid-rows --policy direct --report rows.json\n"
                         "  mpiexec -n 4 sill kernel grid-rows --against original,auto,direct,staged\n",
                         [run](Communicator&, const KernelArguments& common) -> std::unique_ptr<kernels::Kernel> {
                           return std::make_unique<kernels::GridRowsKernel>(
                               common.setting, common.is_paper ? kernels::GridRowsRun() : *run);
                         });
  kernel.command.output = "volumes";
  kernel.grid(run->grid);
  kernel.size(kernel.parser.add_option("--snapshots", run->snapshots, "Number of files to write")
                  ->check(CLI::Range(std::int64_t{1}, std::int64_t{std::numeric_limits<int>::max()})));
}

}  // namespace sill::cli
