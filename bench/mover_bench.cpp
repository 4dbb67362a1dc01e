// Times the mover on a pattern, in turns with the reference that makes the same requests (replay.hpp) or with another
// policy. Prints one line of JSON, made by rank 0. Run by script/bench; mover_bench --help states the options.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "patterns.hpp"
#include "plain_mpiio.hpp"
#include "replay.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/launch.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/move/mover.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill::bench {
namespace {

constexpr const char* plain_mpiio = "plain-mpiio";

struct Options {
  std::string pattern = "planes";
  std::string policy = "direct";
  std::string against = "replay";
  std::string folder = ".";
  std::string memory = "256M";
  int repeat = 9;
};

class Bench {
 public:
  Bench(Communicator& comm, const Options& options, const Pattern& pattern)
      : comm_(comm), options_(options), pattern_(pattern) {
    memory_.resize(static_cast<std::size_t>(pattern.memory_bytes(comm.rank(), comm.size())));
    std::uint64_t state = 88172645463325252U + static_cast<std::uint64_t>(comm.rank());
    for (std::byte& byte : memory_) {
      state ^= state << 13U;
      state ^= state >> 7U;
      state ^= state << 17U;
      byte = static_cast<std::byte>(state);
    }
    for (int file = 0; file < pattern.files; ++file) {
      paths_.push_back(fmt::format("{}/{}-{}", options.folder, pattern.name, file));
    }
  }

  nlohmann::json run() {
    Trace trace;
    MoveCounts counts;
    const bool is_mover = options_.policy != plain_mpiio;
    if (is_mover) {
      const std::unique_ptr<Mover> recording = mover_for(options_.policy, recorded(open_posix, trace));
      write(*recording);
      counts = recording->counts();
    }
    const Job mine = job_of(options_.policy);
    mine.run();
    const std::uint64_t ours = digest();
    const bool against_replay = options_.against == "replay";
    Job other{[&] {
      replay(trace, {counts.copied_bytes + counts.message_bytes, 256 << 10, pattern_.interleaved_bytes});
    }};
    if (!against_replay) {
      empty_files();
      other = job_of(options_.against);
      other.run();
      if (digest() != ours) throw Error({.code = ErrorCode::io, .problem = "the two wrote different bytes"});
    }
    std::vector<double> ours_s;
    std::vector<double> theirs_s;
    for (int i = 0; i < options_.repeat; ++i) {
      if (i % 2 == 0) ours_s.push_back(timed(mine));
      theirs_s.push_back(timed(other));
      if (i % 2 == 1) ours_s.push_back(timed(mine));
    }
    remove_files();
    std::int64_t requests = 0;
    std::int64_t opens = 0;
    for (const Trace::Call& call : trace.calls) {
      requests += call.kind == Trace::Call::Kind::write ? 1 : 0;
      opens += call.kind == Trace::Call::Kind::open ? 1 : 0;
    }
    const auto sum = [&](std::int64_t value) { return all_reduce(comm_, value, Reduction::sum); };
    return {{"pattern", pattern_.name},
            {"policy", options_.policy},
            {"against", options_.against},
            {"ranks", comm_.size()},
            {"mpi", mpi_library()},
            {"bytes", sum(static_cast<std::int64_t>(memory_.size())) * pattern_.phases},
            {"requests", sum(requests)},
            {"opens", sum(opens)},
            {"messages", sum(counts.messages)},
            {"message_bytes", sum(counts.message_bytes)},
            {"copied_bytes", sum(counts.copied_bytes)},
            {"ours_s", ours_s},
            {"theirs_s", theirs_s}};
  }

 private:
  struct Job {
    std::function<void()> run;
    std::function<void()> begin = [] {};  // before every run, not timed
  };

  // One mover for all repetitions: its buffers are warm, as those of a run with many phases are.
  Job job_of(const std::string& text) {
    if (text == plain_mpiio) {
      return {[this, files = std::make_shared<PlainMpiio>(comm_, paths_)] { write_plainly(*files); }};
    }
    const std::shared_ptr<Mover> mover = mover_for(text, open_posix);
    // So that it plans again: a write like none before.
    return {[this, mover] { write(*mover); }, [mover] { mover->write({}); }};
  }

  [[nodiscard]] std::unique_ptr<Mover> mover_for(const std::string& text, const Opener& open) {
    Resources resources{comm_};
    resources.policy = Policy::parse(text);
    const Policy::Call call = resources.policy.call;
    resources.open = call == Policy::Call::posix ? open : opener_for(call);
    const int threads = resources.policy.threads > 0 ? resources.policy.threads : 1;
    return std::make_unique<Mover>(comm_, resources.files(paths_, OpenMode::write_or_create), resources.policy,
                                   MoverLimits{parse_memory(), threads});
  }

  void write_plainly(PlainMpiio& files) {
    for (int phase = 0; phase < pattern_.phases; ++phase) {
      std::vector<AccessPlan> plans;
      for (int rank = 0; rank < comm_.size(); ++rank) {
        plans.push_back(pattern_.plan(rank, comm_.size(), phase, rank == comm_.rank() ? memory_.data() : nullptr));
      }
      files.write(plans);
    }
    files.close();
  }

  void write(Mover& mover) {
    const int ranks = comm_.size();
    // As a time loop does it: what only moves along is planned once.
    AccessPlan mine = pattern_.plan(comm_.rank(), ranks, 0, memory_.data());
    for (int phase = 0; phase < pattern_.phases; ++phase) {
      if (phase > 0 && pattern_.phase_bytes > 0) {
        mine.move_along(pattern_.phase_bytes);
      } else if (phase > 0) {
        mine = pattern_.plan(comm_.rank(), ranks, phase, memory_.data());
      }
      mover.write(
          mine, [&](int rank) { return pattern_.plan(rank, ranks, phase, nullptr); }, Memory::lent);
    }
    mover.close();
  }

  double timed(const Job& job) {
    empty_files();
    job.begin();
    comm_.barrier();
    const auto start = std::chrono::steady_clock::now();
    job.run();
    comm_.barrier();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  // A mover expects a file it knows to be there.
  void empty_files() {
    run_on_rank(comm_, 0, [&] {
      for (const std::string& path : paths_) std::filesystem::resize_file(path, 0);
    });
  }

  void remove_files() {
    run_on_rank(comm_, 0, [&] {
      for (const std::string& path : paths_) std::filesystem::remove(path);
    });
  }

  // Of all files, the same on all ranks (FNV-1a).
  std::uint64_t digest() {
    comm_.barrier();
    std::uint64_t hash = 14695981039346656037U;
    for (const std::string& path : paths_) {
      const std::unique_ptr<Store> store = open_posix(path, OpenMode::read);
      std::vector<std::byte> bytes(static_cast<std::size_t>(store->size_bytes()));
      read_at(*store, 0, bytes);
      for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 1099511628211U;
    }
    comm_.barrier();
    return hash;
  }

  [[nodiscard]] std::int64_t parse_memory() const { return parse_bytes(options_.memory, "--memory"); }

  Communicator& comm_;
  const Options& options_;
  const Pattern& pattern_;
  std::vector<std::byte> memory_;
  std::vector<std::string> paths_;
};

int run(int argc, char** argv) {
  Options options;
  CLI::App parser("Times the mover on a pattern");
  parser.add_option("--pattern", options.pattern, "stations, planes, volume, small")->capture_default_str();
  parser.add_option("--policy", options.policy, "What to time: a policy, or plain-mpiio")->capture_default_str();
  parser
      .add_option("--against", options.against,
                  "In turns with: replay (the same requests), plain-mpiio (collective calls as programs make them), or "
                  "a policy")
      ->capture_default_str();
  parser.add_option("--folder", options.folder, "Where to write")->capture_default_str();
  parser.add_option("--memory", options.memory, "For buffers of a rank")->capture_default_str();
  parser.add_option("--repeat", options.repeat, "Pairs of runs")->capture_default_str();
  CLI11_PARSE(parser, argc, argv);
  Launch launch;
  try {
    for (const Pattern& pattern : all_patterns()) {
      if (pattern.name != options.pattern) continue;
      const nlohmann::json result = Bench(launch.comm(), options, pattern).run();
      if (launch.comm().rank() == 0) fmt::print("{}\n", result.dump());
      return 0;
    }
    throw Error({.code = ErrorCode::usage, .problem = fmt::format("there is no pattern `{}`", options.pattern)});
  } catch (const Error& error) {
    if (launch.comm().rank() == 0) fmt::print(stderr, "{}\n", error.what());
    if (!error.agreed()) launch.abort(static_cast<int>(error.code()));
    return static_cast<int>(error.code());
  }
}

}  // namespace
}  // namespace sill::bench

int main(int argc, char** argv) { return sill::bench::run(argc, argv); }
