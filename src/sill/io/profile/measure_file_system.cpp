#include "sill/io/profile/measure_file_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/launcher.hpp"
#include "sill/comm/node.hpp"
#include "sill/store/part/part_file.hpp"
#include "sill/store/posix/free_space.hpp"
#include "sill/store/posix/mount.hpp"
#include "sill/store/striping.hpp"

namespace sill {
namespace {

constexpr std::int64_t small_bytes = 4 << 10;
constexpr std::int64_t large_bytes = 1 << 20;
constexpr std::int64_t small_requests = 64;  // small requests per step
constexpr std::int64_t large_requests = 4;
constexpr std::size_t files_of_step = 8;
constexpr std::size_t min_steps = 3;
constexpr std::size_t max_steps = 200;
constexpr int costs_measured = 13;
constexpr std::int64_t many_ranks = 64;  // up to this number of ranks a step has several large requests per rank

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double processor_s() {
  timespec time{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Work>
double seconds_of(Work&& work) {
  const double before = now_s();
  std::forward<Work>(work)();
  return now_s() - before;
}

// Measurements of one quantity, in seconds.
struct Samples {
  std::vector<double> ascending_s;

  [[nodiscard]] double at(double fraction) const {
    return ascending_s[static_cast<std::size_t>(std::lround(fraction * static_cast<double>(ascending_s.size() - 1)))];
  }
};

// The writers of one kind of requests.
struct Writing {
  bool all_ranks = false;
  bool one_file = false;
  std::int64_t request_bytes = 0;
  std::int64_t requests = 0;  // requests of each writer
  std::int64_t begin = 0;     // byte of the first request
};

class Measurement {
 public:
  Measurement(const Resources& resources, std::string folder, const MeasuringLimits& limits)
      : resources_(resources), comm_(resources.comm), folder_(std::move(folder)), limits_(limits) {
    constexpr std::int64_t min_bytes = costs_measured * large_requests * large_bytes;
    run_and_agree(comm_, [&] {
      if (limits.time_s > 0 && limits.file_bytes >= min_bytes) return;
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("a file system cannot be measured in {} s with {} of files", limits.time_s,
                                          exact_bytes(limits.file_bytes)),
                   .action = fmt::format("allow at least {}", exact_bytes(min_bytes))});
    });
    const std::int64_t step_bytes = large_bytes * std::max<std::int64_t>(comm_.size(), many_ranks);
    run_on_rank(comm_, 0, [&] { require_free_space(folder_, step_bytes, "name a folder with more room"); });
    guard_ = run_and_agree(comm_, [&] { return std::make_unique<PartFile>(target(), Striping{}); });
    bytes_ = run_and_agree(comm_, [&] { return std::vector<std::byte>(large_bytes, std::byte{0x5A}); });
  }

  // Measures the creation of a file, by one rank or by all ranks at the same time.
  Samples creating(bool all_ranks) {
    return repeated(1, [&] {
      if (!all_ranks && comm_.rank() > 0) return 0.0;
      // The files have names of part files, which are always removed.
      std::vector<std::unique_ptr<PartFile>> files;
      for (std::size_t i = 0; i < files_of_step; ++i) {
        files.push_back(std::make_unique<PartFile>(target(), Striping{}, guard_.get()));
        std::filesystem::remove(files.back()->path());
      }
      const double whole_s = seconds_of([&] {
        for (const auto& file : files) resources_.open(file->path(), OpenMode::create)->close();
      });
      return whole_s / static_cast<double>(files_of_step * writers(all_ranks));
    });
  }

  // Measures one request, of the requests that all writers perform together.
  Samples writing(const Writing& how) {
    const std::int64_t step_bytes =
        how.requests * how.request_bytes * static_cast<std::int64_t>(writers(how.all_ranks));
    return repeated(
        step_bytes, [&] { return written(how); }, how.one_file);
  }

  Samples syncing() {
    return repeated(large_bytes, [&] {
      if (comm_.rank() > 0) return 0.0;
      const PartFile file(target(), Striping{}, guard_.get());
      const std::unique_ptr<Store> store = resources_.open(file.path(), OpenMode::write);
      write_at(*store, 0, bytes_);
      const double sync_s = seconds_of([&] { store->sync(); });
      store->close();
      return sync_s;
    });
  }

  // Measures a message in one direction, between the first and the last rank.
  Samples message(std::int64_t bytes) {
    return repeated(1, [&] {
      const int peer = comm_.rank() == 0 ? comm_.size() - 1 : 0;
      if (comm_.rank() != 0 && comm_.rank() != comm_.size() - 1) return 0.0;
      constexpr int rounds = 8;
      const std::span<std::byte> room = std::span(bytes_).first(static_cast<std::size_t>(bytes));
      const auto send = [&] { comm_.exchange(std::array{Outgoing{peer, room}}, {}); };
      const auto receive = [&] { comm_.exchange({}, std::array{Incoming{peer, room}}); };
      const double whole_s = seconds_of([&] {
        for (int i = 0; i < rounds; ++i) {
          if (comm_.rank() == 0) send();
          receive();
          if (comm_.rank() != 0) send();
        }
      });
      return whole_s / (2 * rounds);
    });
  }

  Samples copying() {
    // Copies memory that exceeds the caches into a stage that stays in a cache.
    constexpr std::size_t stage = 256 << 10;
    constexpr std::size_t all = 64 << 20;
    std::vector<std::byte> from = run_and_agree(comm_, [&] { return std::vector<std::byte>(all); });
    std::vector<std::byte> to = run_and_agree(comm_, [&] { return std::vector<std::byte>(stage); });
    return repeated(1, [&] {
      const double whole_s = seconds_of([&] {
        for (std::size_t at = 0; at + stage <= all; at += stage) std::memcpy(to.data(), from.data() + at, stage);
      });
      from.back() = to.front();  // so that the copy is not optimized away
      return whole_s / static_cast<double>(all);
    });
  }

  // Returns true if rank 0 used its core for less than half of the time of large requests.
  [[nodiscard]] bool waits() {
    std::int64_t has_waited = 0;
    run_on_rank(comm_, 0, [&] {
      const double whole_s = written({.request_bytes = large_bytes, .requests = large_requests}) * large_requests;
      has_waited = waited_s_ > whole_s / 2 ? 1 : 0;
    });
    return all_reduce(comm_, has_waited, Reduction::max) == 1;
  }

 private:
  [[nodiscard]] std::size_t writers(bool all_ranks) const {
    return all_ranks ? static_cast<std::size_t>(comm_.size()) : 1;
  }
  [[nodiscard]] std::string target() const { return fmt::format("{}/sill-tune-{}", folder_, comm_.rank()); }

  // Local if there is one writer, or if each has its own file. Returns the time of a request.
  double written(const Writing& how) {
    if (!how.all_ranks && comm_.rank() > 0) return 0;
    std::optional<PartFile> own;
    if (!how.one_file) own.emplace(target(), Striping{}, guard_.get());
    const std::unique_ptr<Store> store = resources_.open(own ? own->path() : shared_path_, OpenMode::write);
    const std::int64_t ranks = how.one_file ? comm_.size() : 1;
    const std::int64_t first = how.one_file ? comm_.rank() : 0;
    const std::span<const std::byte> request = std::span(bytes_).first(static_cast<std::size_t>(how.request_bytes));
    const double processor_before_s = processor_s();
    // Includes closing, because some file systems send bytes to their servers only then.
    const double whole_s = seconds_of([&] {
      for (std::int64_t i = 0; i < how.requests; ++i) {
        write_at(*store, how.begin + (i * ranks + first) * how.request_bytes, request);
      }
      store->close();
    });
    waited_s_ = whole_s - (processor_s() - processor_before_s);
    return whole_s / static_cast<double>(how.requests * static_cast<std::int64_t>(writers(how.all_ranks)));
  }

  // Collective. Performs steps until a share of the time or the bytes is used. Returns for each step the time of the
  // slowest rank.
  template <class Step>
  Samples repeated(std::int64_t step_bytes, Step&& step, bool in_one_file = false) {
    const double until_s = now_s() + limits_.time_s / costs_measured;
    const auto max_count = static_cast<std::size_t>(
        std::clamp<std::int64_t>(limits_.file_bytes / costs_measured / step_bytes, min_steps, max_steps));
    Samples samples;
    for (bool is_time_left = true;
         samples.ascending_s.size() < min_steps || (is_time_left && samples.ascending_s.size() < max_count);) {
      if (in_one_file) share_file();
      comm_.barrier();
      const double mine_s = run_and_agree(comm_, step);
      std::array<std::int64_t, 2> longest{std::llround(1e12 * mine_s), now_s() < until_s ? 0 : 1};
      comm_.all_reduce(longest, Reduction::max);
      samples.ascending_s.push_back(1e-12 * static_cast<double>(longest[0]));
      is_time_left = longest[1] == 0;
    }
    shared_.reset();
    std::ranges::sort(samples.ascending_s);
    return samples;
  }

  // Collective. Creates a file that all ranks may open.
  void share_file() {
    run_on_rank(comm_, 0, [&] {
      shared_.reset();
      shared_.emplace(target(), Striping{}, guard_.get());
      shared_path_ = shared_->path();
    });
    broadcast_all(comm_, shared_path_, 0);
  }

  const Resources& resources_;
  Communicator& comm_;
  std::string folder_;
  MeasuringLimits limits_;
  std::unique_ptr<PartFile> guard_;
  std::optional<PartFile> shared_;  // on rank 0
  std::string shared_path_;
  double waited_s_ = 0;  // time without a core during the last write
  std::vector<std::byte> bytes_;
};

// The costs of a request and of a byte, computed from requests of two sizes.
struct Line {
  double request_s = 0;
  double byte_s = 0;
};

Line line_through(double small_s, double large_s) {
  const double byte_s = std::max(0.0, large_s - small_s) / static_cast<double>(large_bytes - small_bytes);
  return {std::max(0.0, small_s - static_cast<double>(small_bytes) * byte_s), byte_s};
}

// Sets costs from the values at a quarter, half and three quarters of the samples.
class MeasuredProfile {
 public:
  explicit MeasuredProfile(FileSystemProfile& profile) : profile_(profile) {}

  template <class AtFraction>
  void set_by(double FileSystemCosts::*cost, AtFraction&& at) {
    const std::array<double, 3> values{at(0.25), at(0.5), at(0.75)};
    profile_.costs.*cost = values[1];
    const auto [from, to] = std::ranges::minmax(values);
    const auto name = std::ranges::find(cost_names(), cost, &CostName::cost_s);
    profile_.spreads[static_cast<std::size_t>(name - cost_names().begin())] = {from, to};
  }
  void set(double FileSystemCosts::*cost, const Samples& samples) {
    set_by(cost, [&](double fraction) { return samples.at(fraction); });
  }
  void set(double FileSystemCosts::*request, double FileSystemCosts::*byte, const Samples& small,
           const Samples& large) {
    const auto line = [&](double fraction) { return line_through(small.at(fraction), large.at(fraction)); };
    set_by(request, [&](double fraction) { return line(fraction).request_s; });
    set_by(byte, [&](double fraction) { return line(fraction).byte_s; });
  }

 private:
  FileSystemProfile& profile_;
};

}  // namespace

FileSystemProfile measure_file_system(const Resources& resources, const std::string& folder,
                                      const MeasuringLimits& limits) {
  using C = FileSystemCosts;
  Communicator& comm = resources.comm;
  Measurement measure(resources, folder, limits);
  FileSystemProfile profile;
  run_and_agree(comm, [&] {
    const Mount mount = mount_of(folder);
    profile.mount = mount.point;
    profile.file_system = mount.file_system;
    profile.nodes = node_count(comm);
    profile.mpi = mpi_library();
    profile.ranks = comm.size();
    profile.made = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  });
  MeasuredProfile costs(profile);
  const auto per_byte = [](double more_s) { return std::max(0.0, more_s) / static_cast<double>(large_bytes); };
  Writing small{.request_bytes = small_bytes, .requests = small_requests};
  Writing large{.request_bytes = large_bytes, .requests = large_requests};
  const auto set_both = [&](double C::*request, double C::*byte) {
    const Samples of_small = measure.writing(small);
    const Samples of_large = measure.writing(large);
    costs.set(request, byte, of_small, of_large);
    return of_large;
  };
  costs.set(&C::open_s, measure.creating(false));
  const Samples aligned = set_both(&C::request_s, &C::byte_s);
  Writing beside = large;
  beside.begin = small_bytes / 8;
  const Samples unaligned = measure.writing(beside);
  costs.set_by(&C::unaligned_byte_s,
               [&](double fraction) { return per_byte(unaligned.at(fraction) - aligned.at(fraction)); });
  costs.set(&C::sync_s, measure.syncing());
  costs.set(&C::copy_byte_s, measure.copying());
  if (comm.size() > 1) {
    costs.set(&C::all_open_s, measure.creating(true));
    small.all_ranks = large.all_ranks = true;
    large.requests = std::clamp<std::int64_t>(many_ranks / comm.size(), 1, large_requests);
    (void)set_both(&C::all_request_s, &C::all_byte_s);
    small.one_file = large.one_file = true;
    (void)set_both(&C::file_request_s, &C::file_byte_s);
    const Samples short_s = measure.message(8);
    const Samples long_s = measure.message(large_bytes);
    costs.set(&C::message_s, short_s);
    costs.set_by(&C::message_byte_s,
                 [&](double fraction) { return per_byte(long_s.at(fraction) - short_s.at(fraction)); });
  } else {
    const C built_in = built_in_costs(file_system_kind_of(folder));
    for (double C::*const cost : {&C::all_open_s, &C::all_request_s, &C::all_byte_s, &C::file_request_s,
                                  &C::file_byte_s, &C::message_s, &C::message_byte_s}) {
      costs.set_by(cost, [&](double /*fraction*/) { return built_in.*cost; });
    }
  }
  profile.costs.waits = measure.waits();
  return profile;
}

}  // namespace sill
