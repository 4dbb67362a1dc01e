// sill kernel ondes3d-surfaces, awp-volume, grid-rows: the output of programs on grids.

#include "cli/kernel/kernel_command.hpp"
#include "kernels/kernels.hpp"
#include "sill/base/error.hpp"

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
                         [run](Communicator&, const KernelArguments& common) {
                           kernels::SurfaceRun sizes = *run;
                           if (common.is_paper) {
                             sizes.steps = 1000;
                             sizes.every = 10;
                           }
                           return kernels::make_surface_kernel(common.setting, sizes);
                         });
  kernel.command.output = "surfaces";
  kernel.grid(run->grid);
  kernel.count("--plane-rows", run->plane_rows, "Number of rows of the planes xz and yz, counted from the top");
  kernel.count("--steps", run->steps, "Number of time steps");
  kernel.count("--every", run->every, "Time steps between output phases");
  kernel.parser.add_flag("--displacement", run->displacement, "Write displacement in addition to velocity");
  kernel.lend(run->lends);
}

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
      [run](Communicator&, const KernelArguments& common) {
        kernels::VolumeRun sizes = *run;
        if (common.is_paper) sizes = {.grid = {10125, 5000, 1060}, .skip = 2, .steps = 20, .samples_per_file = 20};
        sizes.has_row_types = run->has_row_types;
        if (sizes.has_row_types && !common.is_original && !has_original(common.against)) {
          throw usage_error("--row-types applies to the original program, which is not run",
                            "add --original, or --against with the way `original`");
        }
        return kernels::make_volume_kernel(common.setting, sizes);
      });
  kernel.command.output = "volumes";
  kernel.grid(run->grid);
  kernel.count("--skip", run->skip, "Spacing of the written points in each dimension: 2 writes every second point");
  kernel.count("--batch", run->samples_per_file, "Samples per file (WRITE_STEP); the last file may contain fewer");
  kernel.parser.add_flag("--row-types", run->has_row_types,
                         "For the original program: use an MPI datatype with one entry per row of points, as its "
                         "current version does, instead of one entry per point, as the version of 2011 did");
  kernel.count("--steps", run->steps, "Number of time steps");
  kernel.count("--every", run->every, "Time steps between samples (NTISKP)");
}

void add_kernel_grid_rows(CLI::App& kernels, Commands& commands) {
  auto run = std::make_shared<kernels::GridRowsRun>();
  const KernelCommand kernel = add_kernel_command(
      kernels, commands, "grid-rows",
      "Write snapshots of a grid that is distributed in x and y\n"
      "Short rows of the ranks alternate in each file; the original collects them on rank 0.",
      "the default sizes, which give rows of 96 bytes on 4 ranks",
      "  sill kernel grid-rows --verify\n"
      "  mpiexec -n 4 sill kernel grid-rows --policy direct --report rows.json\n"
      "  mpiexec -n 4 sill kernel grid-rows --against original,auto,direct,staged\n",
      [run](Communicator&, const KernelArguments& common) {
        return kernels::make_grid_rows_kernel(common.setting, common.is_paper ? kernels::GridRowsRun() : *run);
      });
  kernel.command.output = "volumes";
  kernel.grid(run->grid);
  kernel.count("--snapshots", run->snapshots, "Number of files to write");
}

}  // namespace sill::cli
