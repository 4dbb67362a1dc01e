#include "sill/io/doctor/machine_tests.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/launcher.hpp"
#include "sill/engines/parallel_netcdf.hpp"
#include "sill/store/handle_cache.hpp"
#include "sill/store/mpiio/mpiio_fault_trial.hpp"
#include "sill/store/mpiio/mpiio_hint_trial.hpp"
#include "sill/store/posix/file_lock.hpp"
#include "sill/store/posix/file_size_limit.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t block_of_rank_bytes = 64 << 10;
constexpr std::int64_t max_skew_ns = 1'000'000'000;
constexpr std::chrono::seconds patience{5};  // for attributes and names that other ranks changed

std::string counted(std::int64_t count, const char* noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

std::string where_ranks_run(Communicator& comm) {
  return fmt::format("{} on {}", counted(comm.size(), "rank"), counted(node_count(comm), "node"));
}

// Collective. Returns the worst finding of any rank.
MachineFinding worst_of(Communicator& comm, MachineFinding mine) {
  const std::vector<Verdict> all = all_gather(comm, mine.verdict);
  const auto worst = std::ranges::max_element(all);
  const int rank = static_cast<int>(worst - all.begin());
  mine.verdict = *worst;
  broadcast_all(comm, mine.meaning, rank);
  broadcast_all(comm, mine.remedy, rank);
  if (std::ranges::min(all) != *worst) mine.meaning += fmt::format(" (rank {})", rank);
  return mine;
}

MachineFinding test_ranks(const Resources& resources, const std::string& folder) {
  Communicator& comm = resources.comm;
  const int next = (comm.rank() + 1) % comm.size();
  const int previous = (comm.rank() + comm.size() - 1) % comm.size();
  const std::vector<std::byte> sent(1 << 20, static_cast<std::byte>(comm.rank() % 251));
  std::vector<std::byte> received(sent.size());
  comm.exchange(std::array{Outgoing{next, sent}}, std::array{Incoming{previous, received}});
  const bool is_right = received == std::vector<std::byte>(sent.size(), static_cast<std::byte>(previous % 251));
  if (!is_right) return {Verdict::fails, "a message of 1 MiB arrived with other bytes"};
  if (!fs::is_directory(folder)) return {Verdict::fails, "a rank does not see the folder of rank 0"};
  return {Verdict::ok, fmt::format("{} exchange messages and see the folder", where_ranks_run(comm))};
}

MachineFinding test_posix(const Resources& resources, const std::string& folder) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  const bool is_written = full >= 0 && (::write(full, "x", 1) > 0 || errno != ENOSPC);
  if (full >= 0) ::close(full);
  if (is_written) return {Verdict::fails, "a write to /dev/full is not refused with ENOSPC"};
  const std::string path = fmt::format("{}/posix{}", folder, resources.comm.rank());
  std::optional<Error> error;
  std::optional<FileSizeLimit> limit(block_of_rank_bytes / 2);
  error = attempt([&] {
    const std::unique_ptr<Store> store = open_posix(path, OpenMode::create);
    write_at(*store, 0, std::vector<std::byte>(block_of_rank_bytes, std::byte{1}));
    store->sync();
    store->close();
  });
  limit.reset();
  const auto size = static_cast<std::int64_t>(fs::file_size(path));
  if (!error && size < block_of_rank_bytes)
    return {Verdict::fails,
            fmt::format("a write returned success, but the file has {} of {} bytes", size, block_of_rank_bytes)};
  if (!error) return {Verdict::warning, "writes beyond the limit on file sizes (RLIMIT_FSIZE) are not refused"};
  if (error->parts().system_error_number != EFBIG)
    return {Verdict::warning, "a write beyond RLIMIT_FSIZE fails, but not with EFBIG: " + error->parts().problem,
            error->parts().action};
  return {Verdict::ok, "ENOSPC (/dev/full) and EFBIG (RLIMIT_FSIZE) are reported"};
}

MachineFinding finding_of(const MpiioOutcome& outcome) {
  const std::string all = fmt::format("{} of {}", outcome.unreported, counted(outcome.missing, "refused write"));
  if (outcome.missing == 0) return {Verdict::not_run, "writes beyond RLIMIT_FSIZE are not refused here"};
  if (outcome.unreported == 0)
    return {Verdict::ok, fmt::format("{} reported as failed", counted(outcome.missing, "refused write"))};
  if (outcome.unreported > outcome.short_counts)
    return {Verdict::fails, fmt::format("{}: MPI returns success and full counts, data are lost", all)};
  return {Verdict::fails, fmt::format("{}: MPI returns success; only the count in the status is short", all)};
}

template <MpiioDriver driver, MpiioFault fault>
MachineFinding test_mpiio(const Resources& resources, const std::string& folder) {
  return finding_of(try_mpiio_fault(resources.comm, folder, driver, fault));
}

MachineFinding test_mpiio_empty_ranks(const Resources& resources, const std::string& folder) {
  const MpiioOutcome outcome = try_mpiio_fault(resources.comm, folder, MpiioDriver::standard, MpiioFault::empty_ranks);
  if (outcome.failed + outcome.missing == 0) return {Verdict::ok, "ranks without data take part in a write"};
  return {Verdict::fails, fmt::format("{} failed, the data of {} are missing", counted(outcome.failed, "write"),
                                      counted(outcome.missing, "rank"))};
}

// A variable of which each rank in `writers` writes a block.
MachineFinding write_by_pnetcdf(Communicator& comm, const std::string& folder, int first_writer,
                                std::optional<std::int64_t> limit_bytes) {
  const std::string path = folder + "/pnetcdf.nc";
  const std::int64_t bytes = comm.size() * block_of_rank_bytes;
  const DatasetDescription description{.dimensions = {{"x", bytes}}, .variables = {{"v", ElementType::i1, {"x"}}}};
  const std::vector<std::byte> mine(block_of_rank_bytes, static_cast<std::byte>(1 + comm.rank() % 100));
  const auto error = attempt_together(comm, [&] {
    ParallelNetcdf file(comm, path, description, 5, {});
    std::optional<FileSizeLimit> limit;
    if (limit_bytes) limit.emplace(*limit_bytes);
    run_and_agree(comm, [&] {
      if (comm.rank() >= first_writer)
        file.begin(0, Box{{comm.rank() * block_of_rank_bytes}, {block_of_rank_bytes}}, mine.data());
    });
    // Closed after an error, too: all ranks have it.
    std::optional<Error> first = attempt_together(comm, [&] { file.finish(); });
    keep_first(first, attempt_together(comm, [&] { file.close(); }));
    if (first) throw Error(*first);
  });
  if (error && error->code() == ErrorCode::usage) throw Error(*error);
  comm.barrier();
  bool is_there = true;
  if (comm.rank() >= first_writer) {
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    std::vector<std::byte> found(block_of_rank_bytes);
    in.seekg(static_cast<std::int64_t>(in.tellg()) - bytes + comm.rank() * block_of_rank_bytes);
    in.read(reinterpret_cast<char*>(found.data()), block_of_rank_bytes);
    is_there = in.good() && found == mine;
  }
  const std::int64_t lost = all_reduce(comm, is_there ? 0 : 1, Reduction::sum);
  const std::string version = "PnetCDF " + ParallelNetcdf::version();
  if (limit_bytes && error) return {Verdict::ok, version + ": a refused write is reported"};
  if (limit_bytes && lost == 0) return {Verdict::not_run, "writes beyond RLIMIT_FSIZE are not refused here"};
  if (error) return {Verdict::fails, fmt::format("{}: {}", version, error->parts().problem)};
  if (lost > 0)
    return {Verdict::fails,
            fmt::format("{}: returns success, the data of {} are lost", version, counted(lost, "rank"))};
  return {Verdict::ok, version + ": ranks without data take part in a write"};
}

MachineFinding test_pnetcdf(const Resources& resources, const std::string& folder) {
  return write_by_pnetcdf(resources.comm, folder, 0, resources.comm.size() * block_of_rank_bytes / 2);
}

MachineFinding test_pnetcdf_empty_ranks(const Resources& resources, const std::string& folder) {
  return write_by_pnetcdf(resources.comm, folder, resources.comm.size() - 1, std::nullopt);
}

MachineFinding test_hdf5(const Resources& /*resources*/, const std::string& /*folder*/) {
  return {Verdict::not_run, "Sill lays out HDF5 files in memory, and writes them by the calls that posix tests"};
}

// Collective. Returns true if another rank than `owner` gets the lock that `owner` holds.
bool is_granted_twice(Communicator& comm, FileLock& lock, int owner) {
  run_on_rank(comm, owner, [&] {
    if (!lock.try_alone()) throw Error({.problem = "a lock that no rank holds is refused"});
  });
  const bool is_granted = run_and_agree(comm, [&] { return comm.rank() != owner && lock.try_alone(); });
  comm.barrier();
  lock.release();
  return all_reduce(comm, is_granted ? 1 : 0, Reduction::max) == 1;
}

MachineFinding test_flock(const Resources& resources, const std::string& folder) {
  Communicator& comm = resources.comm;
  run_on_rank(comm, 0, [&] { std::ofstream(folder + "/lock").put('x'); });
  const auto lock = run_and_agree(comm, [&] { return std::make_unique<FileLock>(folder + "/lock"); });
  for (const int owner : {0, comm.size() - 1}) {
    if (is_granted_twice(comm, *lock, owner))
      return {Verdict::fails, fmt::format("while rank {} holds an exclusive lock, other ranks get it as well", owner)};
  }
  return {Verdict::ok, fmt::format("a lock excludes other ranks: {}", where_ranks_run(comm))};
}

constexpr int renames = 100;

void write_version(const std::string& folder, int version) {
  std::ofstream(folder + "/next") << std::string(4096, static_cast<char>(version));
  fs::rename(folder + "/next", folder + "/current");
}

// Reads a file while rank 0 replaces it. Returns what was wrong, or "".
std::string wrong_version(const std::string& folder, char& last) {
  std::ifstream in(folder + "/current");
  if (!in) return "a file was missing while another rank replaced it by rename";
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.size() != 4096 || text.find_first_not_of(text[0]) != text.npos)
    return "a file had neither its old nor its new contents while another rank replaced it by rename";
  if (std::exchange(last, text[0]) > text[0]) return "after the new content of a renamed file, the old one was read";
  return "";
}

MachineFinding test_rename(const Resources& resources, const std::string& folder) {
  Communicator& comm = resources.comm;
  run_on_rank(comm, 0, [&] { write_version(folder, 1); });
  std::string wrong;
  char last = 0;
  run_and_agree(comm, [&] {
    const auto until = Clock::now() + patience;
    for (int version = 2; comm.rank() == 0 && version <= renames; ++version) write_version(folder, version);
    while (comm.rank() > 0 && wrong.empty() && last < renames && Clock::now() < until)
      wrong = wrong_version(folder, last);
  });
  comm.barrier();
  if (wrong.empty()) wrong = wrong_version(folder, last);
  if (wrong.empty() && last < renames) wrong = "the old content is read after another rank replaced the file by rename";
  if (!wrong.empty()) return {Verdict::fails, wrong};
  return {Verdict::ok, fmt::format("{} by rename: always one whole version", counted(renames - 1, "replacement"))};
}

// Returns the size by stat, or by open and fstat.
std::int64_t size_seen(const std::string& path, bool opens) {
  struct stat status {};
  if (!opens) return ::stat(path.c_str(), &status) == 0 ? status.st_size : -1;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_seen = descriptor >= 0 && ::fstat(descriptor, &status) == 0;
  if (descriptor >= 0) ::close(descriptor);
  return is_seen ? status.st_size : -1;
}

MachineFinding test_attributes(const Resources& resources, const std::string& folder) {
  Communicator& comm = resources.comm;
  const std::string path = folder + "/grows";
  run_on_rank(comm, 0, [&] { std::ofstream(path).put('x'); });
  bool is_stale_open = false;
  std::optional<double> stale_s;
  std::int64_t expected = 1;
  for (const int writer : {0, comm.size() - 1}) {
    (void)size_seen(path, false);  // now this rank may have the size in a cache
    comm.barrier();
    expected += block_of_rank_bytes;
    run_on_rank(comm, writer, [&] {
      std::ofstream out(path, std::ios::app);
      out << std::string(block_of_rank_bytes, 'x');
      out.close();
      if (!out) throw Error({.problem = "a rank cannot write", .where = {.file = path}});
    });
    const auto begin = Clock::now();
    if (size_seen(path, false) != expected) {
      is_stale_open = is_stale_open || size_seen(path, true) != expected;
      while (size_seen(path, false) != expected && Clock::now() < begin + patience)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      stale_s = std::max(stale_s.value_or(0), std::chrono::duration<double>(Clock::now() - begin).count());
    }
    comm.barrier();
  }
  if (is_stale_open)
    return {Verdict::fails, "a file that another rank wrote and closed has its old size, even when opened"};
  if (stale_s)
    return {Verdict::warning, fmt::format("stat shows the old size of a file for {}; opening it shows the new one",
                                          format_short_time(*stale_s))};
  return {Verdict::ok, "the size that another rank wrote is seen at once"};
}

MachineFinding test_hints(const Resources& resources, const std::string& folder) {
  const std::vector<TriedHint> tried = try_all_mpiio_hints(resources.comm, folder);
  std::string ignored;
  for (const TriedHint& hint : tried)
    if (!hint.took_effect)
      ignored += fmt::format("{}{}={}: {}", ignored.empty() ? "" : "; ", hint.hint, hint.asked, hint.seen);
  if (!ignored.empty()) return {Verdict::warning, "without effect: " + ignored};
  return {Verdict::ok, fmt::format("{} to MPI-IO had an effect", counted(std::ssize(tried), "hint"))};
}

std::int64_t realtime_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Returns the difference between the modification time of a new file and the time at which it was written; 0 if the
// former is between the times before and after the write.
std::int64_t skew_of_file_system_ns(const std::string& path) {
  const std::int64_t before = realtime_ns();
  std::ofstream(path).put('x');
  const std::int64_t after = realtime_ns();
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw system_error(errno, "stat", {.file = path});
  const std::int64_t modified = status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
  return std::max({std::int64_t{0}, before - modified, modified - after});
}

MachineFinding test_clocks(const Resources& resources, const std::string& folder) {
  Communicator& comm = resources.comm;
  std::int64_t ranks_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 20; ++i) {
    comm.barrier();
    const auto [first, last] = std::ranges::minmax(all_gather(comm, realtime_ns()));
    ranks_ns = std::min(ranks_ns, last - first);
  }
  const std::int64_t files_ns = skew_of_file_system_ns(fmt::format("{}/clock{}", folder, comm.rank()));
  const std::string between = comm.size() == 1 ? ""
                                               : fmt::format(", clocks of ranks by at most {}",
                                                             format_short_time(1e-9 * static_cast<double>(ranks_ns)));
  return {ranks_ns > max_skew_ns || files_ns > max_skew_ns ? Verdict::warning : Verdict::ok,
          fmt::format("times of files differ from the clock by {}{}",
                      format_short_time(1e-9 * static_cast<double>(files_ns)), between)};
}

MachineFinding test_descriptors(const Resources& /*resources*/, const std::string& /*folder*/) {
  constexpr std::size_t enough = 4096;  // safe_open_files
  constexpr rlim_t for_mpi = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) throw system_error(errno, "getrlimit", {});
  const std::string text = fmt::format("{} files may be open (RLIMIT_NOFILE)", limit.rlim_cur);
  if (limit.rlim_cur < for_mpi) return {Verdict::fails, text + ": too few for MPI to start"};
  if (safe_open_files() >= enough) return {Verdict::ok, text};
  return {Verdict::warning, fmt::format("{}: outputs of more than {} files open and close them again and again", text,
                                        safe_open_files())};
}

MachineFinding test_memory(const Resources& resources, const std::string& /*folder*/) {
  const auto bytes = static_cast<std::size_t>(resources.memory());
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) throw system_error(errno, "getrlimit", {});
  const std::string taken =
      fmt::format("Sill takes up to {} per rank, of {} for all processes{}", format_bytes(resources.memory()),
                  format_bytes(resources.memory_limit()),
                  limit.rlim_cur == RLIM_INFINITY
                      ? ""
                      : fmt::format("; RLIMIT_AS is {}", format_bytes(static_cast<std::int64_t>(limit.rlim_cur))));
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {Verdict::fails, taken + ": the system refuses this"};
  ::munmap(memory, bytes);
  const std::int64_t free = free_memory_bytes();
  if (free < resources.memory() * resources.comm.ranks_on_node())
    return {Verdict::warning, fmt::format("{}, but {} are free now", taken, format_bytes(free))};
  return {Verdict::ok, fmt::format("{}, of which {} are free", taken, format_bytes(free))};
}

constexpr std::string_view posix_calls = "write with POSIX calls (Sill's default)";
constexpr std::string_view no_ompio = "set OMPI_MCA_io=^ompio for ROMIO, or write with POSIX calls (Sill's default)";
constexpr std::string_view few_rounds =
    "make each collective write fit into cb_buffer_size x aggregators, as Sill does; give jobs a time limit";
constexpr std::string_view no_pnetcdf = "write with container=netcdf, which needs no PnetCDF";

constexpr std::array<MachineTest, 19> tests{{
    {"ranks", "use the launcher of the MPI of this build (sill --version), in a job with enough slots", true,
     test_ranks},
    {"posix", "do not write here; look for a library in LD_PRELOAD that replaces write", false, test_posix},
    {"ompio", no_ompio, false, test_mpiio<MpiioDriver::ompio, MpiioFault::alone>},
    {"ompio-together", no_ompio, true, test_mpiio<MpiioDriver::ompio, MpiioFault::together>},
    {"ompio-rounds", no_ompio, true, test_mpiio<MpiioDriver::ompio, MpiioFault::in_rounds>},
    {"romio", posix_calls, false, test_mpiio<MpiioDriver::romio, MpiioFault::alone>},
    {"romio-together", posix_calls, true, test_mpiio<MpiioDriver::romio, MpiioFault::together>},
    {"romio-rounds", few_rounds, true, test_mpiio<MpiioDriver::romio, MpiioFault::in_rounds>},
    {"mpiio-empty-ranks", posix_calls, true, test_mpiio_empty_ranks},
    {"pnetcdf", no_pnetcdf, false, test_pnetcdf},
    {"pnetcdf-empty-ranks", no_pnetcdf, true, test_pnetcdf_empty_ranks},
    {"hdf5", "", false, test_hdf5},
    {"flock", "mount with locks of all nodes (Lustre: -o flock); never run two commands on one output", true,
     test_flock},
    {"rename", "do not read outputs on other nodes while they are replaced", true, test_rename},
    {"attributes", "open files before asking their size; NFS: mount with actimeo=0 or noac", true, test_attributes},
    {"hints", "do not tune by these hints here; `sill policies --hints DIR` shows all", false, test_hints},
    {"clocks", "synchronize the clocks (NTP); do not decide by times of files, as make does", false, test_clocks},
    {"descriptors", "raise the limit: ulimit -Hn, /etc/security/limits.conf, options of the launcher", false,
     test_descriptors},
    {"memory", "give Sill less: --memory SIZE; or raise the limit (ulimit -v, the job's memory)", false, test_memory},
}};

}  // namespace

std::string_view name_of(Verdict verdict) {
  constexpr std::array<std::string_view, 5> names{"ok", "not run", "warning", "fails", "hangs"};
  return names[static_cast<std::size_t>(verdict)];
}

std::span<const MachineTest> machine_tests() { return tests; }

MachineFinding run_machine_test(const MachineTest& test, const Resources& resources, const std::string& folder) {
  // All ranks have the error of a collective call; the error of one rank becomes the finding of all.
  MachineFinding mine;
  if (const auto error = attempt([&] { mine = test.run(resources, folder); })) {
    const bool is_missing = error->code() == ErrorCode::usage;
    // The system's reason, such as a full disk, has a remedy of its own.
    const bool has_remedy = is_missing || error->parts().system_error_number != 0;
    mine = {is_missing ? Verdict::not_run : Verdict::fails, error->parts().problem,
            has_remedy ? error->parts().action : std::string()};
  }
  MachineFinding found = worst_of(resources.comm, std::move(mine));
  if (found.verdict > Verdict::not_run && found.remedy.empty()) found.remedy = test.remedy;
  return found;
}

}  // namespace sill
