// sill kernel ondes3d-stations: the station output of Ondes3D.
#include <fmt/format.h>

#include <limits>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "kernels/ondes3d_stations.hpp"
#include "sill/base/units.hpp"

namespace sill::cli {
namespace {

struct StationKernelArguments {
  kernels::StationRun run{.folder = "ondes3d-stations"};
  bool compat = false;
  bool is_original = false;
  bool verify = false;
};

int run_kernel_stations(Session& session, const StationKernelArguments& options) {
  kernels::StationRun run = options.run;
  if (options.compat || options.is_original) run.count = station::StepCount::grows;
  std::vector<std::string> outputs;
  if (!session.side_outputs().empty()) {  // which must be none of them
    for (std::int64_t s = 0; s < run.stations; ++s) outputs.push_back(station_path(run, s));
  }
  session.claim({}, outputs);
  const kernels::StationCosts costs =
      options.is_original ? run_original_stations(session.resources(), run) : run_stations(session.resources(), run);
  if (options.verify) verify_stations(session.resources(), run);
  session.print(fmt::format(
      "{} stations, {} steps, {} phases of at most {} in {} ({}): {} of output in {} of time loop ({}){}",
      format_count(run.stations), format_count(run.steps), format_count(costs.phases), format_count(run.every),
      run.folder, format_bytes(costs.file_bytes), format_duration(costs.output_s), format_duration(costs.loop_s),
      format_rate(costs.file_bytes, costs.output_s), options.verify ? "; verified" : ""));
  Done done;
  done.more = {{"kernel", "ondes3d-stations"},
               {"original", options.is_original},
               {"stations", run.stations},
               {"steps", run.steps},
               {"every", run.every},
               {"phases", costs.phases},
               {"file_bytes", costs.file_bytes},
               {"setup_s", costs.setup_s},
               {"loop_s", costs.loop_s},
               {"output_s", costs.output_s},
               {"verified", options.verify}};
  if (options.is_original) {
    done.more.update({{"messages", costs.messages}, {"opens", costs.opens}, {"prints", costs.prints}});
  }
  session.finish(done);
  return 0;
}

}  // namespace

void add_kernel_stations(CLI::App& kernels, Commands& commands) {
  const auto [parser, command] = add_command(
      kernels, commands, "ondes3d-stations",
      "Station files of Ondes3D (F. Z. Boito et al. 2017): a text file a receiver, nine values a time step, "
      "every few steps an output phase. The defaults are the sizes of the paper",
      "  sill kernel ondes3d-stations --verify\n"
      "  mpiexec -n 4 sill kernel ondes3d-stations --policy elected --report elected.json\n"
      "  mpiexec -n 4 sill kernel ondes3d-stations --original --report original.json\n");
  command.output = "stations";
  auto options = std::make_shared<StationKernelArguments>();
  const auto most = std::numeric_limits<int>::max();
  parser.add_option("--stations", options->run.stations, "Receivers")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{most}))
      ->capture_default_str();
  parser.add_option("--steps", options->run.steps, "Time steps")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{most}))
      ->capture_default_str();
  parser
      .add_option("--every", options->run.every,
                  "Time steps from one output phase to the next; what is left at the "
                  "end is one more")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{most}))
      ->capture_default_str();
  parser
      .add_option("--out", options->run.folder,
                  "The folder of the files, made if need be; files of an earlier run "
                  "are replaced")
      ->capture_default_str();
  parser.add_option("--compute-ms", options->run.compute_ms, "Keep a core busy for so long each time step")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  CLI::Option* const original = parser.add_flag(
      "--original", options->is_original,
      "As the original program does: rank 0 receives a message a component and prints with stdio. Implies --compat");
  parser.add_flag("--compat", options->compat,
                  "Headers become longer in place when the number of steps gains a digit, as the original's do");
  parser.add_flag("--verify", options->verify, "Then read the files and compare them with what must be in them");
  original->excludes("--policy");
  command.run = [options](Session& session) { return run_kernel_stations(session, *options); };
}

}  // namespace sill::cli
