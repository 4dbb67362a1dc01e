// sill kernel awp-volume: the volume output of AWP-ODC.
#include <limits>

#include "cli/kernel/kernel_command.hpp"
#include "kernels/awp_volume.hpp"
#include "sill/base/error.hpp"

namespace sill::cli {
void add_kernel_volume(CLI::App& kernels, Commands& commands) {
  auto run = std::make_shared<kernels::VolumeRun>();
  const KernelCommand kernel = add_kernel_command(
      kernels, commands, "awp-volume",
      "Write the volume files of AWP-ODC\n"
      "A file contains a component at several steps, at every second point (L. D. Crosby et al. 2011).",
      "the sizes of the M8 earthquake simulation (L. D. Crosby et al. 2011): a grid of 10125 x 5000 x "
      "1060 points, with every second point in each dimension written, 20 steps, 20 samples per file, "
      "1.464 TiB in total",
      "  sill kernel awp-volume --verify\n"
      "  mpiexec -n 4 sill kernel awp-volume --grid 200x200x100 --policy elected --report elected.json\n"
      "  mpiexec -n 4 sill kernel awp-volume --against original,direct,elected,collective\n",
      [run](Communicator&, const KernelArguments& common) -> std::unique_ptr<kernels::Kernel> {
        kernels::VolumeRun sizes = *run;
        if (common.is_paper) sizes = {.grid = {10125, 5000, 1060}, .skip = 2, .steps = 20, .samples_per_file = 20};
        sizes.has_row_types = run->has_row_types;
        if (sizes.has_row_types && !common.is_original && !has_original(common.against)) {
          throw usage_error("--row-types applies to the original program, which is not run",
                            "add --original, or --against with the way `original`");
        }
        return std::make_unique<kernels::VolumeKernel>(common.setting, sizes);
      });
  kernel.command.output = "volumes";
  const CLI::Range positive(std::int64_t{1}, std::int64_t{std::numeric_limits<int>::max()});
  kernel.grid(run->grid);
  kernel.size(kernel.parser
                  .add_option("--skip", run->skip,
                              "Spacing of the written points in each dimension: 2 writes every second point")
                  ->check(positive));
  kernel.size(kernel.parser
                  .add_option("--batch", run->samples_per_file,
                              "Samples per file (WRITE_STEP); the last file may contain fewer")
                  ->check(positive));
  kernel.parser.add_flag("--row-types", run->has_row_types,
                         "For the original program: use an MPI datatype with one entry per row of points, as its "
                         "current version does, instead of one entry per point, as the version of 2011 did");
  kernel.size(kernel.parser.add_option("--steps", run->steps, "Number of time steps")->check(positive));
  kernel.size(kernel.parser.add_option("--every", run->every, "Time steps between samples (NTISKP)")->check(positive));
}

}  // namespace sill::cli
