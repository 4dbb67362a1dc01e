// sill kernel awp-volume: the volume output of AWP-ODC.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/grid_text.hpp"
#include "cli/kernel_command.hpp"
#include "kernels/awp_volume.hpp"
#include "sill/base/error.hpp"

namespace sill::cli {
namespace {

kernels::VolumeRun paper_run() {
  return {.grid = {10125, 5000, 1060}, .skip = 2, .steps = 20, .every = 1, .samples_a_file = 20};
}

void require_kept(const kernels::VolumeRun& run) {
  const std::int64_t fewest = *std::min_element(run.grid.begin(), run.grid.end());
  if (run.skip <= fewest) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("--skip {}: of {} points none would be kept", run.skip, fewest),
               .action = "skip fewer"});
}

}  // namespace

void add_kernel_volume(CLI::App& kernels, Commands& commands) {
  struct Sizes {
    std::string grid = "400x200x100";
    kernels::VolumeRun run;
  };
  auto options = std::make_shared<Sizes>();
  const KernelCommand kernel = add_kernel_command(
      kernels, commands, "awp-volume",
      "Volume files of AWP-ODC (L. D. Crosby et al. 2011): every few points of a grid, three components with a file "
      "each, several samples in time a file",
      "M8, 10125 x 5000 x 1060 points, one in 2 of them in each dimension, 20 samples a file, 20 steps: 1.464 TiB",
      "  sill kernel awp-volume --verify\n"
      "  mpiexec -n 4 sill kernel awp-volume --grid 200x200x100 --policy elected --report elected.json\n"
      "  mpiexec -n 4 sill kernel awp-volume --against original,direct,elected,collective\n",
      [options](Communicator&, const KernelArguments& common) -> std::unique_ptr<kernels::Kernel> {
        kernels::VolumeRun run = options->run;
        run.grid = grid_of(options->grid, "--grid");
        if (common.is_paper) run = paper_run();
        require_kept(run);
        return std::make_unique<kernels::VolumeKernel>(common.setting, run);
      });
  const CLI::Range positive(std::int64_t{1}, std::int64_t{std::numeric_limits<int>::max()});
  kernel.size(kernel.parser.add_option("--grid", options->grid, "Points in x, y and z")->type_name("NXxNYxNZ"));
  kernel.size(kernel.parser.add_option("--skip", options->run.skip, "Of so many points one is kept, in each dimension")
                  ->check(positive));
  kernel.size(kernel.parser
                  .add_option("--batch", options->run.samples_a_file,
                              "Samples a file (WRITE_STEP); the last file has what is left")
                  ->check(positive));
  kernel.size(kernel.parser.add_option("--steps", options->run.steps, "Time steps")->check(positive));
  kernel.size(
      kernel.parser.add_option("--every", options->run.every, "Time steps from one sample to the next (NTISKP)")
          ->check(positive));
}

}  // namespace sill::cli
