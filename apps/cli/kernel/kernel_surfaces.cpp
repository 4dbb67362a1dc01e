// sill kernel ondes3d-surfaces: the surface output of Ondes3D.
#include <limits>

#include "cli/kernel/kernel_command.hpp"
#include "kernels/ondes3d_surfaces.hpp"

namespace sill::cli {

void add_kernel_surfaces(CLI::App& kernels, Commands& commands) {
  auto run = std::make_shared<kernels::SurfaceRun>();
  const KernelCommand kernel =
      add_kernel_command(kernels, commands, "ondes3d-surfaces",
                         "Write the surface files of Ondes3D\n"
                         "Every few steps one VTK file per plane of a grid (F. Z. Boito et al. 2017).",
                         "the sizes of F. Z. Boito et al. 2017: 1000 steps, an output phase every 10 steps",
                         "  sill kernel ondes3d-surfaces --verify\n"
                         "  mpiexec -n 4 sill kernel ondes3d-surfaces --displacement --policy elected --report "
                         "elected.json\n"
                         "  mpiexec -n 4 sill kernel ondes3d-surfaces --against original,staged,elected,collective\n",
                         [run](Communicator&, const KernelArguments& common) -> std::unique_ptr<kernels::Kernel> {
                           kernels::SurfaceRun sizes = *run;
                           if (common.is_paper) {
                             sizes.steps = 1000;
                             sizes.every = 10;
                           }
                           return std::make_unique<kernels::SurfaceKernel>(common.setting, sizes);
                         });
  kernel.command.output = "surfaces";
  const CLI::Range positive(std::int64_t{1}, std::int64_t{std::numeric_limits<int>::max()});
  kernel.grid(run->grid);
  kernel.size(
      kernel.parser
          .add_option("--plane-rows", run->plane_rows, "Number of rows of the planes xz and yz, counted from the top")
          ->check(positive));
  kernel.size(kernel.parser.add_option("--steps", run->steps, "Number of time steps")->check(positive));
  kernel.size(kernel.parser.add_option("--every", run->every, "Time steps between output phases")->check(positive));
  kernel.parser.add_flag("--displacement", run->displacement, "Write displacement in addition to velocity");
  kernel.lend(run->lends);
}

}  // namespace sill::cli
