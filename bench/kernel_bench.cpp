// Times the output of a kernel in turns with a program that makes the same opens, requests and memory passes on ready
// bytes (replay.hpp). Prints one line of JSON, made by rank 0. Run by script/bench.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "kernels/awp_volume.hpp"
#include "kernels/mslio.hpp"
#include "kernels/ondes3d_stations.hpp"
#include "kernels/ondes3d_surfaces.hpp"
#include "replay.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/launch.hpp"
#include "sill/io/resources.hpp"
#include "sill/store/posix_store.hpp"

namespace sill::bench {
namespace {

struct Options {
  std::string kernel = "ondes3d-stations";
  std::string policy = "elected";
  std::string folder = ".";
  int repeat = 9;
};

// A kernel, and how its memory pass goes.
struct Subject {
  std::unique_ptr<kernels::Kernel> kernel;
  Copies copies = {};
};

Subject subject_of(const Options& options) {
  const kernels::KernelSetting setting{.folder = options.folder + "/" + options.kernel};
  if (options.kernel == "ondes3d-stations") {
    return {std::make_unique<kernels::StationKernel>(setting, kernels::StationRun{})};
  }
  if (options.kernel == "ondes3d-surfaces") {
    const kernels::SurfaceRun run;
    // The plane xy, which has nearly all bytes: three arrays whose points on it lie a column of the grid apart.
    const Copies copies{
        .run_bytes = 4, .arrays = 3, .apart_bytes = 4 * run.grid[2], .records = run.grid[0] * run.grid[1]};
    return {std::make_unique<kernels::SurfaceKernel>(setting, run), copies};
  }
  if (options.kernel == "awp-volume") {
    const kernels::VolumeRun run;
    // Points of rows, some of which are left out.
    return {std::make_unique<kernels::VolumeKernel>(setting, run),
            {.run_bytes = 4, .arrays = 1, .apart_bytes = 4 * run.skip}};
  }
  if (options.kernel == "mslio") return {std::make_unique<kernels::SolutionKernel>(setting, kernels::SolutionRun{})};
  throw Error({.code = ErrorCode::usage, .problem = fmt::format("there is no kernel `{}` here", options.kernel)});
}

class KernelBench {
 public:
  KernelBench(Communicator& comm, const Options& options)
      : comm_(comm), options_(options), subject_(together(comm, [&] { return subject_of(options); })) {
    on_rank(comm, 0, [&] { std::filesystem::create_directories(subject_.kernel->folder()); });
  }

  nlohmann::json run() {
    Trace trace;
    (void)ours(recorded(open_posix, trace));
    std::int64_t requests = 0;
    std::int64_t opens = 0;
    std::int64_t bytes = 0;
    for (const Trace::Call& call : trace.calls) {
      requests += call.kind == Trace::Call::Kind::write ? 1 : 0;
      opens += call.kind == Trace::Call::Kind::open ? 1 : 0;
      for (const std::int64_t piece : call.pieces) bytes += piece;
    }
    Copies copies = subject_.copies;
    copies.bytes = bytes;
    copies.piece_bytes = 256 << 10;
    std::vector<double> ours_s;
    std::vector<double> theirs_s;
    (void)theirs(trace, copies);
    for (int i = 0; i < options_.repeat; ++i) {
      if (i % 2 == 0) ours_s.push_back(ours(open_posix));
      theirs_s.push_back(theirs(trace, copies));
      if (i % 2 == 1) ours_s.push_back(ours(open_posix));
    }
    on_rank(comm_, 0, [&] { std::filesystem::remove_all(subject_.kernel->folder()); });
    const auto sum = [&](std::int64_t value) { return all_reduce(comm_, value, Reduction::sum); };
    return {{"kernel", options_.kernel}, {"policy", options_.policy}, {"ranks", comm_.size()}, {"bytes", sum(bytes)},
            {"requests", sum(requests)}, {"opens", sum(opens)},       {"ours_s", ours_s},      {"theirs_s", theirs_s}};
  }

 private:
  // The seconds that the program waits for its output.
  double ours(const Opener& open) {
    clear();
    Resources resources{.comm = comm_, .open = open, .policy = Policy::parse(options_.policy)};
    return subject_.kernel->run(resources).output_s;
  }

  double theirs(const Trace& trace, const Copies& copies) {
    clear();
    for (const std::string& path : trace.paths) {
      std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    }
    comm_.barrier();
    const auto start = std::chrono::steady_clock::now();
    replay(trace, copies);
    comm_.barrier();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  // An empty folder: what was recorded may be part files, which have other names when they are complete.
  void clear() {
    on_rank(comm_, 0, [&] {
      for (const auto& entry : std::filesystem::directory_iterator(subject_.kernel->folder())) {
        std::filesystem::remove_all(entry.path());
      }
    });
  }

  Communicator& comm_;
  const Options& options_;
  Subject subject_;
};

int run(int argc, char** argv) {
  Options options;
  CLI::App parser("Times the output of a kernel beside the same requests on ready bytes");
  parser.add_option("--kernel", options.kernel, "As of `sill kernel`, at its default sizes")->capture_default_str();
  parser.add_option("--policy", options.policy, "One that calls pwrite")->capture_default_str();
  parser.add_option("--folder", options.folder, "Where to write")->capture_default_str();
  parser.add_option("--repeat", options.repeat, "Pairs of runs")->capture_default_str();
  CLI11_PARSE(parser, argc, argv);
  Launch launch;
  try {
    const nlohmann::json result = KernelBench(launch.comm(), options).run();
    if (launch.comm().rank() == 0) fmt::print("{}\n", result.dump());
    return 0;
  } catch (const Error& error) {
    if (launch.comm().rank() == 0) fmt::print(stderr, "{}\n", error.what());
    if (!error.agreed()) launch.abort(static_cast<int>(error.code()));
    return static_cast<int>(error.code());
  }
}

}  // namespace
}  // namespace sill::bench

int main(int argc, char** argv) { return sill::bench::run(argc, argv); }
