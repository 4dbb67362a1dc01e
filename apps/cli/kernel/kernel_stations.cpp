// sill kernel ondes3d-stations, seismograms: the station output of Ondes3D, and records of receivers in other formats.
#include <fmt/format.h>

#include <map>

#include "cli/kernel/kernel_command.hpp"
#include "kernels/kernels.hpp"

namespace sill::cli {

namespace {

struct StationArguments {
  kernels::StationRun run;
  bool compat = false;
};

// Adds a command of the kernel with the defaults of `options`. `steps` describes its steps.
void add_station_kernel(CLI::App& kernels, Commands& commands, const std::shared_ptr<StationArguments>& options,
                        const char* description, const char* paper, const char* examples, const char* steps) {
  const bool is_text = options->run.form == StationForm::text;
  const KernelCommand kernel =
      add_kernel_command(kernels, commands, options->run.kernel, description, paper, examples,
                         [options](Communicator&, const KernelArguments& common) {
                           kernels::StationRun run = options->run;
                           if (options->compat && run.form != StationForm::text) {
                             throw usage_error("--compat only applies to text headers", "omit --compat or --form");
                           }
                           const bool is_of_channels = run.form != StationForm::text && run.form != StationForm::sac;
                           if (is_of_channels && (common.is_original || has_original(common.against))) {
                             throw usage_error("the original program writes a file for each station",
                                               "choose --form text or sac, or do not run the original program");
                           }
                           // Writes the same bytes as the original, because the files of a comparison must be equal.
                           const bool is_compared = !common.against.empty();
                           if (options->compat || common.is_original || is_compared)
                             run.count = station::StepCount::grows;
                           return kernels::make_station_kernel(common.setting, run);
                         });
  kernel.command.output = "stations";
  const CLI::Range receivers(std::int64_t{1}, std::int64_t{10'000'000});
  kernel.size(kernel.parser.add_option("--stations", options->run.stations, "Number of receivers")->check(receivers));
  kernel.count(steps, options->run.steps, "Number of time steps");
  kernel.count("--every", options->run.every,
               "Time steps between output phases; remaining steps at the end form one more phase");
  const std::map<std::string, StationForm> forms{{"text", StationForm::text},         {"sac", StationForm::sac},
                                                 {"segy", StationForm::segy},         {"su", StationForm::su},
                                                 {"miniseed", StationForm::miniseed}, {"asdf", StationForm::asdf}};
  kernel.parser
      .add_option("--form", options->run.form,
                  fmt::format("Output format: text (one file per receiver), sac (one file per component of a "
                              "receiver), or segy, su, miniseed or asdf (one file for all receivers). Default: {}",
                              is_text ? "text" : "sac"))
      ->transform(CLI::CheckedTransformer(forms).description(""));
  if (!is_text) return;
  kernel.parser.add_flag("--compat", options->compat,
                         "Lengthen headers in place when the number of steps gains a digit, as the original does. "
                         "Implied by --original and --against");
}

}  // namespace

void add_kernel_stations(CLI::App& kernels, Commands& commands) {
  add_station_kernel(kernels, commands, std::make_shared<StationArguments>(),
                     "Write the station files of Ondes3D\n"
                     "One text file per receiver, with nine values per time step (F. Z. Boito et al. 2017).",
                     "the sizes of F. Z. Boito et al. 2017: 650 stations, 1000 steps, an output phase every 10 steps",
                     "  sill kernel ondes3d-stations --verify\n"
                     "  mpiexec -n 4 sill kernel ondes3d-stations --policy elected --report elected.json\n"
                     "  mpiexec -n 4 sill kernel ondes3d-stations --against original,staged,elected,collective\n",
                     "--steps");
  auto options = std::make_shared<StationArguments>();
  options->run = {.kernel = "seismograms", .stations = 2000, .steps = 4000, .every = 400, .form = StationForm::sac};
  add_station_kernel(
      kernels, commands, options,
      "Write seismograms as SAC, SEG-Y, Seismic Unix, miniSEED or ASDF\nNine components per receiver. The "
      "original appends to one file per receiver and component.",
      "the default sizes: 2000 receivers, 4000 steps, an output phase every 400 steps",
      "  sill kernel seismograms --stations 100 --verify\n"
      "  sill kernel seismograms --stations 100 --form asdf --verify\n"
      "  mpiexec -n 4 sill kernel seismograms --stations 100 --against original,auto\n",
      "--samples");
}

}  // namespace sill::cli
