#include "cli/kernel/kernel_command.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
#include <system_error>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/store/posix/folder.hpp"
#include "sill/store/posix/free_space.hpp"

namespace sill::cli {
namespace {

// Checks that no output is a pipe: the original programs would wait forever for a reader.
void require_files(Session& session, const kernels::Kernel& kernel) {
  run_on_rank(session.comm(), 0, [&] {
    for (const std::string& path : kernel.paths()) {
      struct stat there {};
      if (::stat(path.c_str(), &there) != 0 || S_ISREG(there.st_mode)) continue;
      throw Error({.code = ErrorCode::io,
                   .problem = "not a regular file",
                   .where = {.file = path},
                   .action = "remove it, or name another folder with --out"});
    }
  });
}

// The sizes of a paper may fill a disk: prints the size and checks the free space before writing.
void require_room(Session& session, const kernels::Kernel& kernel, std::int64_t bytes) {
  const std::int64_t free_bytes = free_space_bytes(kernel.folder());
  session.print(fmt::format("{}: {}: {} ({} bytes) of files in {}, where {} are free", kernel.name(), kernel.sizes(),
                            format_bytes(bytes), format_count(bytes), kernel.folder(), format_bytes(free_bytes)));
  run_on_rank(session.comm(), 0, [&] {
    require_free_space(kernel.folder(), bytes,
                       "give a folder on a larger file system with --out, or smaller sizes instead of --paper");
  });
}

int run_kernel(Session& session, const kernels::Kernel& kernel, const KernelArguments& options) {
  const std::int64_t file_bytes = run_and_agree(session.comm(), [&] { return kernel.file_bytes(); });
  std::vector<std::string> files;  // log and report must not be one of them
  if (!session.side_outputs().empty()) {
    files = kernel.paths();
    const std::vector<std::string> beside = kernel.paths_beside();
    files.insert(files.end(), beside.begin(), beside.end());
  }
  require_other_files(session.resources(), session.side_outputs(), files);
  session.reserve_files({}, {});
  if (options.is_paper) require_room(session, kernel, file_bytes);
  if (options.is_original || has_original(options.against)) require_files(session, kernel);
  run_on_rank(session.comm(), 0, [&] { make_folder(kernel.folder()); });
  Done done;
  done.more = {{"kernel", kernel.name()}, {"file_bytes", file_bytes}, {"verified", options.verify}};
  for (const auto& [name, number] : kernel.numbers()) done.more[name] = number;
  if (!options.against.empty()) {
    compare_ways(session, kernel, options, done);
    return session.finish(done);
  }
  Resources resources = session.resources();
  resources.layouts = nullptr;  // the kernel has already used them
  const kernels::KernelCosts costs =
      options.is_original ? kernel.run_original(resources, session.meter()) : kernel.run(resources);
  // The library's writers count their own output.
  if (options.is_original) session.meter().count_output(costs.phases, costs.own_output_s);
  if (options.verify) kernel.verify(resources);
  session.print(fmt::format("{}, {} in {} ({}): {} of output in {} of time loop ({}){}", kernel.sizes(),
                            format_count(costs.phases, "phase"), kernel.folder(), format_bytes(file_bytes),
                            format_duration(costs.output_s), format_duration(costs.loop_s),
                            format_rate(file_bytes, costs.output_s), options.verify ? "; verified" : ""));
  if (const std::string chosen = session.resources().chosen->summary(); !chosen.empty()) session.print(chosen);
  done.more.update({{"original", options.is_original},
                    {"phases", costs.phases},
                    {"setup_s", costs.setup_s},
                    {"loop_s", costs.loop_s},
                    {"output_s", costs.output_s}});
  for (const auto& [name, number] : costs.more) done.more[name] = number;
  return session.finish(done);
}

}  // namespace

void KernelCommand::grid(Index& points) const {
  const auto read = [&points](const std::string& text) {
    Index found;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (found.size() < 3) {
      std::int64_t count = 0;
      const auto [behind, failure] = std::from_chars(at, end, count);
      if (failure != std::errc{} || count < 1) break;
      found.push_back(count);
      at = behind;
      if (found.size() < 3 && at != end && *at == 'x') ++at;
    }
    if (found.size() != 3 || at != end) {
      throw CLI::ValidationError("--grid", "\"" + text + "\" is not three numbers above 0, such as 520x370x140");
    }
    points = found;
  };
  size(parser.add_option_function<std::string>("--grid", read, "Number of points in x, y and z")
           ->type_name("NXxNYxNZ")
           ->default_str(fmt::format("{}", fmt::join(points, "x"))));
}

KernelCommand add_kernel_command(CLI::App& kernels, Commands& commands, const std::string& name,
                                 const std::string& description, const std::string& paper_sizes,
                                 const std::string& examples, MakeKernel make, bool writes_netcdf) {
  const auto [parser, command] = add_command(kernels, commands, name, description, examples);
  auto options = std::make_shared<KernelArguments>();
  options->setting.folder = name;
  parser
      .add_option("--out", options->setting.folder,
                  "Folder for the files, created if missing; files of an earlier run are replaced")
      ->capture_default_str();
  parser
      .add_option("--compute-ms", options->setting.compute_ms,
                  "Keep a core busy for this many milliseconds in each time step")
      ->check([](const std::string& text) {
        constexpr double day_ms = 86'400'000.0;
        double ms = 0.0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), ms);
        const bool is_possible = problem == std::errc() && end == text.data() + text.size() && ms >= 0 && ms <= day_ms;
        return is_possible ? std::string() : fmt::format("{} is not a number of milliseconds from 0 to one day", text);
      })
      ->capture_default_str();
  CLI::Option& original = *parser.add_flag("--original", options->is_original,
                                           "Write as the original program does, with the same I/O requests");
  parser.add_flag("--verify", options->verify,
                  "Read the files after writing, and compare them with the expected contents");
  CLI::Option& paper = *parser.add_flag(
      "--paper", options->is_paper,
      fmt::format("Use {}. Prints the total size first, and stops if the disk is too small", paper_sizes));
  CLI::Option& against =
      *parser
           .add_option("--against", options->against,
                       fmt::format("Run several ways to write in random order and report how their costs differ. A "
                                   "way is `original`{}, such as original,elected,stage=64K",
                                   writes_netcdf ? ", a policy, `pnetcdf` or pnetcdf:HINT=VALUE;..." : " or a policy"))
           ->type_name("WAY,...")
           ->allow_extra_args(false);
  const CLI::Option* const repeat = parser
                                        .add_option("--repeat", options->repeat,
                                                    fmt::format("With --against{}: number of runs of each way to write",
                                                                writes_netcdf ? " or --sweep-hints" : ""))
                                        ->check(CLI::Range(2, 1000))
                                        ->capture_default_str();
  if (writes_netcdf) {
    parser
        .add_flag("--sweep-hints", options->sweeps_hints,
                  "Compare, as --against does, the policy auto with PnetCDF under each set of hints of table 1 of the "
                  "PnetCDF paper (J. Brzenski et al. 2021) and under some unsuitable hints. Also report which hints "
                  "took effect")
        ->excludes(&against)
        ->excludes(&original)
        ->excludes("--policy");
  }
  original.excludes("--policy");
  against.excludes("--policy")->excludes(&original);
  command.check = [options, repeat, writes_netcdf] {
    if (options->setting.folder.empty())
      throw usage_error("--out: the folder has no name", "name a folder; \".\" is the current folder");
    if (!options->against.empty()) (void)ways_of(options->against);
    if (repeat->count() > 0 && options->against.empty() && !options->sweeps_hints) {
      throw usage_error(fmt::format("--repeat needs --against{}", writes_netcdf ? " or --sweep-hints" : ""));
    }
  };
  command.run = [options, make = std::move(make)](Session& session) {
    if (options->sweeps_hints) options->against = ways_of_hints();
    const std::unique_ptr<kernels::Kernel> kernel =
        run_and_agree(session.comm(), [&] { return make(session.comm(), *options); });
    if (session.resources().layouts != nullptr) kernel->use(*session.resources().layouts);
    return run_kernel(session, *kernel, *options);
  };
  command.output = "files";
  return {parser, command, original, paper};
}

void add_kernel(CLI::App& program, Commands& commands) {
  CLI::App& kernels = *program.add_subcommand(
      "kernel",
      "Write the output of a published program, and measure it\n"
      "Reproduces only the output, not the computation; --against compares several ways to write.");
  kernels.require_subcommand(1);
  kernels.footer("`sill kernel NAME --help` describes a kernel and gives examples.");
  for (AddCommand* const add : {add_kernel_stations, add_kernel_mslio, add_kernel_surfaces, add_kernel_ior,
                                add_kernel_volume, add_kernel_grid_rows, add_kernel_gccom, add_kernel_subflow,
                                add_kernel_flash, add_kernel_checkpoint, add_kernel_tecplot, add_kernel_records})
    add(kernels, commands);
}

}  // namespace sill::cli
