// Times the output of a kernel in turns with a program that makes the same opens, requests and memory passes on ready
// bytes (replay.hpp), or with another policy, also on a store that waits. Prints one line of JSON, made by rank 0. Run
// by script/bench.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/kernels.hpp"
#include "kernels/netcdf/flash_arrays.hpp"
#include "replay.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/launch.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/store/forwarding_store.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill::bench {
namespace {

struct Options {
  std::string kernel = "ondes3d-stations";
  std::string policy = "elected";
  std::string folder = ".";
  std::string against = "replay";
  std::string container = "netcdf";
  double megabytes_per_s = 0.0;
  double compute_ms = 0.0;
  bool lends = false;
  bool prints = false;
  bool converts = false;
  std::int64_t steps = 0;
  int repeat = 9;
};

// A disk that takes its time to write, without a core; whatever the number of files and threads.
class SlowDisk {
 public:
  explicit SlowDisk(double bytes_per_s) : bytes_per_s_(bytes_per_s) {}

  // Returns when the disk has done with them. Waits too short for the system's clock are waited for together.
  void take(std::int64_t bytes) {
    using Clock = std::chrono::steady_clock;
    Clock::time_point done;
    {
      const std::lock_guard lock(mutex_);
      const std::chrono::duration<double> lasts(static_cast<double>(bytes) / bytes_per_s_);
      done_ = std::max(done_, Clock::now()) + std::chrono::duration_cast<Clock::duration>(lasts);
      done = done_;
    }
    if (done - Clock::now() > std::chrono::milliseconds(1)) std::this_thread::sleep_until(done);
  }

 private:
  double bytes_per_s_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point done_;
};

class SlowStore final : public ForwardingStore {
 public:
  SlowStore(std::unique_ptr<Store> inner, std::shared_ptr<SlowDisk> disk)
      : ForwardingStore(std::move(inner)), disk_(std::move(disk)) {}

  void submit(std::span<const Request> requests) override {
    inner().submit(requests);
    std::int64_t bytes = 0;
    for (const Request& request : requests) bytes += length_of(request);
    disk_->take(bytes);
  }

 private:
  std::shared_ptr<SlowDisk> disk_;
};

// A kernel, and how its memory pass goes.
struct Subject {
  std::unique_ptr<kernels::Kernel> kernel;
  Copies copies = {};
};

Subject subject_of(const Options& options, int ranks) {
  const kernels::KernelSetting setting{.folder = options.folder + "/" + options.kernel,
                                       .compute_ms = options.compute_ms};
  if (options.kernel == "ondes3d-stations") {
    kernels::StationRun run;
    if (options.steps > 0) run.steps = options.steps;
    return {kernels::make_station_kernel(setting, run), {.value_bytes = options.prints ? station::value_bytes : 0}};
  }
  if (options.kernel.starts_with("seismograms-")) {
    constexpr std::int64_t stations = 2000;
    constexpr std::int64_t every = 400;
    const std::map<std::string, StationForm> forms{{"seismograms-sac", StationForm::sac},
                                                   {"seismograms-segy", StationForm::segy},
                                                   {"seismograms-su", StationForm::su},
                                                   {"seismograms-miniseed", StationForm::miniseed}};
    const auto form = forms.find(options.kernel);
    if (form != forms.end()) {
      const kernels::StationRun run{.stations = stations,
                                    .steps = options.steps > 0 ? options.steps : 4000,
                                    .every = every,
                                    .form = form->second};
      // Values of a component lie as far apart as a rank records in a step.
      const std::int64_t owned = stations * station::ondes3d_components / ranks;
      return {kernels::make_station_kernel(setting, run),
              {.word_bytes = 4, .arrays = 1, .apart_bytes = 8 * owned, .variables = owned, .records = every}};
    }
  }
  if (options.kernel == "ondes3d-surfaces") {
    kernels::SurfaceRun run{.lends = options.lends};
    if (options.steps > 0) run.steps = options.steps;
    // The plane xy, which has nearly all bytes: three arrays whose points on it lie a column of the grid apart.
    const Copies copies{
        .word_bytes = 4, .arrays = 3, .apart_bytes = 4 * run.grid[2], .records = run.grid[0] * run.grid[1]};
    return {kernels::make_surface_kernel(setting, run), copies};
  }
  if (options.kernel == "awp-volume") {
    kernels::VolumeRun run;
    if (options.steps > 0) run.steps = options.steps;
    auto kernel = kernels::make_volume_kernel(setting, run);
    // Points of rows, some of which are left out. A batch is together before it is written.
    const std::int64_t batches = std::max<std::int64_t>(1, run.steps / run.every / run.samples_per_file);
    const Copies copies{.batches = batches, .word_bytes = 4, .arrays = 1, .apart_bytes = 4 * run.skip};
    return {std::move(kernel), copies};
  }
  const Container container = container_named(options.container).value_or(Container::netcdf);
  const bool swaps = container == Container::netcdf;
  const Copies converted{.word_bytes = options.converts ? 8 : 0, .arrays = 1, .apart_bytes = 8, .swaps = swaps};
  if (options.kernel == "gccom") {
    kernels::GccomRun run{.container = container, .lends = options.lends};
    if (options.steps > 0) run.phases = options.steps;
    return {kernels::make_gccom_kernel(setting, run), converted};
  }
  if (options.kernel == "checkpoint") {
    kernels::CheckpointRun run;
    if (options.steps > 0) run.phases = options.steps;
    return {kernels::make_checkpoint_kernel(setting, run),
            {.word_bytes = options.converts ? 8 : 0, .arrays = 1, .apart_bytes = 8, .swaps = true}};
  }
  if (options.kernel == "subflow") {
    kernels::SubflowRun run{.container = container};
    if (options.steps > 0) run.phases = options.steps;
    return {kernels::make_subflow_kernel(setting, run), converted};
  }
  if (options.kernel == "flash") {
    const kernels::FlashRun run{.container = container};
    Copies copies = converted;
    copies.variables = std::ssize(kernels::flash_unknowns);
    copies.apart_bytes = 8 * copies.variables;
    copies.records = run.blocks * run.zones * run.zones * run.zones;
    return {kernels::make_flash_kernel(setting, run, ranks), copies};
  }
  if (options.kernel == "mslio") {
    kernels::SolutionRun run;
    run.lends = options.lends;
    if (options.steps > 0) run.phases = options.steps;
    return {kernels::make_solution_kernel(setting, run), {.value_bytes = options.prints ? run.record_bytes : 0}};
  }
  throw Error({.code = ErrorCode::usage, .problem = fmt::format("there is no kernel `{}` here", options.kernel)});
}

class KernelBench {
 public:
  KernelBench(Communicator& comm, const Options& options)
      : comm_(comm),
        options_(options),
        subject_(run_and_agree(comm, [&] { return subject_of(options, comm.size()); })) {
    run_on_rank(comm, 0, [&] { std::filesystem::create_directories(subject_.kernel->folder()); });
  }

  nlohmann::json run() {
    Trace trace;
    const bool is_replayed = options_.against == "replay";
    (void)ours(options_.policy, recorded(opener(), trace));
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
    const auto theirs = [&] { return is_replayed ? replayed(trace, copies) : ours(options_.against, opener()); };
    (void)theirs();
    for (int i = 0; i < options_.repeat; ++i) {
      if (i % 2 == 0) ours_s.push_back(ours(options_.policy, opener()));
      theirs_s.push_back(theirs());
      if (i % 2 == 1) ours_s.push_back(ours(options_.policy, opener()));
    }
    run_on_rank(comm_, 0, [&] { std::filesystem::remove_all(subject_.kernel->folder()); });
    const auto sum = [&](std::int64_t value) { return all_reduce(comm_, value, Reduction::sum); };
    return {{"kernel", options_.kernel}, {"policy", options_.policy}, {"ranks", comm_.size()}, {"bytes", sum(bytes)},
            {"requests", sum(requests)}, {"opens", sum(opens)},       {"ours_s", ours_s},      {"theirs_s", theirs_s}};
  }

 private:
  // The seconds that the program waits for its output.
  double ours(const std::string& policy, const Opener& open) {
    clear();
    Resources resources{.comm = comm_, .open = open, .policy = Policy::parse(policy)};
    return subject_.kernel->run(resources).output_s;
  }

  [[nodiscard]] Opener opener() const {
    if (options_.megabytes_per_s <= 0) return open_posix;
    return [disk = std::make_shared<SlowDisk>(options_.megabytes_per_s * 1e6)](
               const std::string& path, OpenMode mode) -> std::unique_ptr<Store> {
      return std::make_unique<SlowStore>(open_posix(path, mode), disk);
    };
  }

  double replayed(const Trace& trace, const Copies& copies) {
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
    run_on_rank(comm_, 0, [&] {
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
  parser
      .add_option("--kernel", options.kernel,
                  "As of `sill kernel`, at its default sizes; seismograms-sac, -segy, -su, -miniseed")
      ->capture_default_str();
  parser.add_option("--policy", options.policy, "One that calls pwrite")->capture_default_str();
  parser.add_option("--against", options.against, "In turns with: replay (the same requests), or a policy")
      ->capture_default_str();
  parser.add_option("--slow", options.megabytes_per_s, "Requests take as long as at so many MB/s; 0: as they do");
  parser.add_option("--container", options.container, "Of gccom, subflow and flash: netcdf, vti or raw")
      ->check(CLI::IsMember({"netcdf", "vti", "raw"}))
      ->capture_default_str();
  parser.add_option("--steps", options.steps, "Time steps, of mslio phases; 0: the default");
  parser.add_option("--compute-ms", options.compute_ms,
                    "Keep a core busy for this many milliseconds in each time step");
  parser.add_flag("--lend", options.lends, "Arrays of surfaces and gccom and values of mslio are lent");
  parser.add_flag("--print", options.prints,
                  "What makes the same requests prints the values, too, where they are text");
  parser.add_flag("--convert", options.converts,
                  "What makes the same requests copies values of gccom, subflow and flash one by one, of flash from "
                  "where they lie, and changes the order of their bytes for netcdf");
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
