// sill tune: measures the costs of requests to a file system, for the choice of policies.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/profile/measure_file_system.hpp"
#include "sill/io/profile/profile_files.hpp"
#include "sill/store/posix/folder.hpp"

namespace sill::cli {
namespace {

struct TuneArguments {
  std::string folder;
  bool is_quick = false;
};

constexpr MeasuringLimits quick{.time_s = 2, .file_bytes = 256 << 20};

std::string text_of_costs(const FileSystemProfile& profile) {
  std::string text;
  for (std::size_t i = 0; i < cost_names().size(); ++i) {
    const CostName& name = cost_names()[i];
    const CostSpread& spread = profile.spreads[i];
    text += fmt::format("  {:<20}{:>10}  [{}, {}]  {}\n", name.name, format_short_time(profile.costs.*name.cost_s),
                        format_short_time(spread.from_s), format_short_time(spread.to_s), name.meaning);
  }
  return text;
}

int run_tune(Session& session, const TuneArguments& options) {
  session.reserve_files({}, {});
  run_on_rank(session.comm(), 0, [&] {
    require_writable_folder(options.folder);
    require_profile_folder();
  });
  const FileSystemProfile profile =
      measure_file_system(session.resources(), options.folder, options.is_quick ? quick : MeasuringLimits{});
  std::string path;
  run_on_rank(session.comm(), 0, [&] { path = store_profile(session.resources(), profile); });
  session.print(
      fmt::format("{} at {}, {} node{}, {} rank{}: median [half of the measurements]\n{}  {:<20}{}\n  {:<20}{}",
                  profile.file_system, profile.mount, profile.nodes, profile.nodes == 1 ? "" : "s", profile.ranks,
                  profile.ranks == 1 ? "" : "s", text_of_costs(profile), "time", format_duration(session.seconds()),
                  "stored in", path));
  return session.finish({.more = {{"profile", path}, {"mount", profile.mount}, {"file_system", profile.file_system}}});
}

}  // namespace

void add_tune(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "tune",
                  "Measure a file system, so that policies can be chosen\n"
                  "Stores a profile of the folder (docs/auto.md); run it on as many nodes as later write there.",
                  "  sill tune /scratch/me --quick\n"
                  "  mpiexec -n 2 sill tune . --quick\n"
                  "  mpiexec -n 8 sill tune /scratch/me\n",
                  run_tune);
  remove_mover_options(parser);
  parser.add_option("DIR", options->folder, "Folder to write test files to, which are removed afterwards")->required();
  parser.add_flag("--quick", options->is_quick,
                  "Measure for 2 seconds instead of 20, with 256 MiB of files instead of 1 GiB");
  command.output = "files";
}

}  // namespace sill::cli
