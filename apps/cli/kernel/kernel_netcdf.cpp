// sill kernel gccom, subflow, flash, checkpoint, tecplot: datasets of a coastal ocean model, of groundwater, of stars,
// of flow.

#include "cli/kernel/kernel_command.hpp"
#include "kernels/kernels.hpp"

namespace sill::cli {
namespace {

void add_container(const KernelCommand& kernel, std::optional<Container>& container) {
  const std::map<std::string, Container> names{
      {"netcdf", Container::netcdf}, {"pnetcdf", Container::pnetcdf}, {"vti", Container::vti}, {"raw", Container::raw}};
  kernel.parser
      .add_option("--container", container,
                  "Output format: netcdf, pnetcdf (netCDF written by the PnetCDF library), vti or raw. Default: the "
                  "container in SILL_LAYOUT, otherwise netcdf")
      ->transform(CLI::CheckedTransformer(names).description(""));
}

}  // namespace

void add_kernel_gccom(CLI::App& kernels, Commands& commands) {
  auto run = std::make_shared<kernels::GccomRun>();
  const KernelCommand kernel = add_kernel_command(
      kernels, commands, "gccom",
      "Write the output of the General Curvilinear Coastal Ocean Model\n"
      "The original collects each variable on rank 0, which writes it with the serial netCDF library.",
      "the sizes of J. Brzenski et al. 2021: 1601 x 6 x 801 points, 10 phases",
      "  sill kernel gccom --verify\n"
      "  mpiexec -n 4 sill kernel gccom --grid 200x6x100 --container vti\n"
      "  mpiexec -n 4 sill kernel gccom --against original,auto\n",
      [run](Communicator&, const KernelArguments& common) {
        kernels::GccomRun of_run = *run;
        if (common.is_paper) of_run.grid = {1601, 6, 801};
        return kernels::make_gccom_kernel(common.setting, of_run);
      },
      true);
  kernel.command.output = "arrays";
  kernel.grid(run->grid);
  kernel.count("--phases", run->phases, "Number of output phases");
  add_container(kernel, run->container);
  kernel.lend(run->lends);
}

void add_kernel_subflow(CLI::App& kernels, Commands& commands) {
  auto run = std::make_shared<kernels::SubflowRun>();
  const KernelCommand kernel = add_kernel_command(
      kernels, commands, "subflow",
      "Write the output of Subflow\n"
      "The points of its variables move between ranks; the original writes them one by one on rank 0.",
      "the default sizes, which are those of J. Brzenski et al. 2021",
      "  sill kernel subflow --verify\n"
      "  mpiexec -n 4 sill kernel subflow --variables 20 --phases 2 --report subflow.json\n"
      "  mpiexec -n 4 sill kernel subflow --against original,auto\n",
      [run](Communicator&, const KernelArguments& common) {
        return kernels::make_subflow_kernel(common.setting, *run);
      },
      true);
  kernel.command.output = "arrays";
  kernel.grid(run->grid);
  kernel.size(kernel.parser.add_option("--variables", run->variables,
                                       "Total number of physical (at most 9) and chemical variables"));
  kernel.count("--phases", run->phases, "Number of output phases");
  add_container(kernel, run->container);
}

void add_kernel_flash(CLI::App& kernels, Commands& commands) {
  auto run = std::make_shared<kernels::FlashRun>();
  const KernelCommand kernel = add_kernel_command(
      kernels, commands, "flash",
      "Write the output of FLASH\n"
      "The original posts iput calls of PnetCDF and completes those of a file in one wait_all.",
      "the default sizes, which are those of J. Brzenski et al. 2021: 80 blocks of 16 x 16 x 16 zones per rank",
      "  sill kernel flash --blocks 8 --verify\n"
      "  mpiexec -n 4 sill kernel flash --blocks 8 --policy aggregated --report flash.json\n"
      "  mpiexec -n 4 sill kernel flash --against original,auto\n",
      [run](Communicator& comm, const KernelArguments& common) {
        return kernels::make_flash_kernel(common.setting, *run, comm.size());
      },
      true);
  kernel.command.output = "arrays";
  kernel.size(kernel.parser.add_option("--blocks", run->blocks, "Blocks per rank"));
  kernel.size(kernel.parser.add_option("--zones", run->zones, "Zones of a block in each direction"));
  add_container(kernel, run->container);
}

void add_kernel_checkpoint(CLI::App& kernels, Commands& commands) {
  auto run = std::make_shared<kernels::CheckpointRun>();
  const KernelCommand kernel =
      add_kernel_command(kernels, commands, "checkpoint",
                         "Write checkpoints of a simulation\n"
                         "Two generations with checksums; the original collects each variable on rank 0.",
                         "the default sizes",
                         "  sill kernel checkpoint --grid 60 --verify\n"
                         "  mpiexec -n 4 sill kernel checkpoint --grid 60 --phases 2 --report checkpoint.json\n"
                         "  mpiexec -n 4 sill kernel checkpoint --against original,auto\n",
                         [run](Communicator&, const KernelArguments& common) {
                           return kernels::make_checkpoint_kernel(common.setting, *run);
                         });
  kernel.command.output = "arrays";
  kernel.size(kernel.parser.add_option("--grid", run->grid, "Number of points in each direction"));
  kernel.size(kernel.parser.add_option("--variables", run->variables, "Number of variables, with 8 bytes per point"));
  kernel.count("--phases", run->phases, "Number of checkpoints");
}

void add_kernel_tecplot(CLI::App& kernels, Commands& commands) {
  auto run = std::make_shared<kernels::TecplotRun>();
  const KernelCommand kernel = add_kernel_command(
      kernels, commands, "tecplot",
      "Write the output of a flow solver in Tecplot's binary format\n"
      "One file per step with coordinates and variables; the original seeks to each value to write it.",
      "the sizes of L. D. Crosby et al. 2011: 256 x 256 x 256 nodes, 10 steps",
      "  sill kernel tecplot --grid 32 --verify\n"
      "  sill kernel tecplot --grid 8 --ascii\n"
      "  mpiexec -n 4 sill kernel tecplot --grid 32 --against original,auto\n",
      [run](Communicator&, const KernelArguments& common) {
        kernels::TecplotRun of_run = *run;
        if (common.is_paper) of_run.grid = 256;
        return kernels::make_tecplot_kernel(common.setting, of_run);
      });
  kernel.command.output = "arrays";
  kernel.size(kernel.parser.add_option("--grid", run->grid, "Number of nodes in each direction"));
  kernel.count("--steps", run->steps, "Number of output phases");
  kernel.parser.add_flag("--ascii", run->has_ascii, "Also write each step as Tecplot text, on rank 0");
}

}  // namespace sill::cli
