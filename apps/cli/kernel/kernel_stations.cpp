// sill kernel ondes3d-stations: the station output of Ondes3D.
#include <limits>
#include <map>
#include <string>

#include "cli/kernel/kernel_command.hpp"
#include "cli/kernel/kernel_comparison.hpp"
#include "kernels/ondes3d_stations.hpp"

namespace sill::cli {

void add_kernel_stations(CLI::App& kernels, Commands& commands) {
  struct Sizes {
    kernels::StationRun run;
    bool compat = false;
  };
  auto options = std::make_shared<Sizes>();
  const KernelCommand kernel = add_kernel_command(
      kernels, commands, "ondes3d-stations",
      "Station files of Ondes3D (F. Z. Boito et al. 2017): a text file a receiver, nine values a time step, every few "
      "steps an output phase. The defaults are the sizes of the paper",
      "650 stations, 1000 steps, every 10",
      "  sill kernel ondes3d-stations --verify\n"
      "  mpiexec -n 4 sill kernel ondes3d-stations --policy elected --report elected.json\n"
      "  mpiexec -n 4 sill kernel ondes3d-stations --against original,staged,elected,collective\n"
      "  sill kernel ondes3d-stations --against elected,stage=64K,elected,stage=256K,elected,stage=4M\n",
      [options](Communicator&, const KernelArguments& common) -> std::unique_ptr<kernels::Kernel> {
        kernels::StationRun run = options->run;
        if (options->compat && run.form != StationForm::text) {
          throw Error({.code = ErrorCode::usage,
                       .problem = "--compat is about headers of text",
                       .action = "omit it, or --form"});
        }
        const bool is_of_channels = run.form != StationForm::text && run.form != StationForm::sac;
        if (is_of_channels && (common.is_original || has_original(common.against))) {
          throw Error({.code = ErrorCode::usage,
                       .problem = "the original program writes a file for each station",
                       .action = "choose --form text or sac, or omit the original"});
        }
        // The original's bytes, so that what is compared is equal.
        const bool is_compared = !common.against.empty();
        if (options->compat || common.is_original || is_compared) run.count = station::StepCount::grows;
        return std::make_unique<kernels::StationKernel>(common.setting, run);
      });
  kernel.command.output = "stations";
  const CLI::Range positive(std::int64_t{1}, std::int64_t{std::numeric_limits<int>::max()});
  const CLI::Range receivers(std::int64_t{1}, std::int64_t{10'000'000});
  kernel.size(kernel.parser.add_option("--stations", options->run.stations, "Receivers")->check(receivers));
  kernel.size(kernel.parser.add_option("--steps", options->run.steps, "Time steps")->check(positive));
  kernel.size(kernel.parser
                  .add_option("--every", options->run.every,
                              "Time steps from one output phase to the next; what is left at the end is one more")
                  ->check(positive));
  const std::map<std::string, StationForm> forms{{"text", StationForm::text},
                                                 {"sac", StationForm::sac},
                                                 {"segy", StationForm::segy},
                                                 {"su", StationForm::su},
                                                 {"miniseed", StationForm::miniseed}};
  kernel.parser
      .add_option("--form", options->run.form,
                  "What is written: text, a file a receiver; sac, a file for each of its components; segy, su or "
                  "miniseed, one file of all; without it text")
      ->transform(CLI::CheckedTransformer(forms).description(""));
  kernel.parser.add_flag("--compat", options->compat,
                         "Headers become longer in place when the number of steps gains a digit, as the original's do. "
                         "Implied by --original and --against");
}

}  // namespace sill::cli
