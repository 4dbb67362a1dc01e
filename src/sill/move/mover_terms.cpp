#include "sill/move/mover_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/node.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/store/burst/latest_bytes.hpp"
#include "sill/store/handle_cache.hpp"
#include "sill/store/mpiio/mpiio_store.hpp"
#include "sill/store/mpiio/mpiio_thread.hpp"
#include "sill/store/posix/mount.hpp"

namespace sill {
namespace {

std::int64_t align_of(const Policy& policy, const Striping& stripes) {
  switch (policy.align) {
    case Policy::Align::automatic:
    case Policy::Align::none: return 1;
    case Policy::Align::size: return policy.align_bytes;
    case Policy::Align::stripe: return stripes.unit_bytes;
  }
  return 1;
}

std::int64_t aligned_stage(std::int64_t stage, std::int64_t align_bytes) {
  return stage > align_bytes ? stage - stage % align_bytes : stage;
}

// Returns the size of a stage if the policy names none: for automatic choice, for exchange without a stage size, or for
// bytes from an encoder.
std::int64_t unnamed_stage(const MoverTerms& terms) {
  if (terms.files.paths.empty() || !is_on_this_node(terms.file_system)) return long_stage_bytes;
  // Threads are started for each round, so rounds with several threads must be longer.
  constexpr std::int64_t stage_of_threads_bytes = 2 << 20;
  return terms.threads == 1 ? cached_stage_bytes : stage_of_threads_bytes;
}

// Returns the memory per buffer: one stage per thread, one stage that is being filled, the buffer for messages, one
// buffer per drain thread.
std::int64_t bytes_each(const MoverTerms& terms) {
  const int buffers = terms.background_threads + terms.drain_threads + 2;
  return std::max<std::int64_t>(1, terms.memory_bytes / buffers);
}

std::int64_t stage_for(const Policy& policy, const MoverTerms& terms) {
  const std::int64_t align_bytes = align_of(policy, terms.stripes);
  const std::int64_t stage = std::min(policy.stage_or(std::max(unnamed_stage(terms), align_bytes)), bytes_each(terms));
  return aligned_stage(stage, align_bytes);
}

int max_stages(const Policy& policy, const MoverTerms& terms) {
  const int blocking = terms.background_threads + 1;
  if (policy.takes_memory_at_once()) return blocking;
  return static_cast<int>(std::clamp<std::int64_t>(terms.memory_bytes / terms.stage_bytes - 1, blocking, 1 << 20));
}

// Throws if policies or files differ between ranks, which would wait forever for each other's messages.
void require_same(Communicator& comm, Policy policy, const MoverFiles& files) {
  policy.threads = 0;
  const auto text = [&] {
    std::string all = fmt::format("{}\n{}", policy.text(), static_cast<int>(files.mode));
    for (const std::string& path : files.paths) all += '\n' + path;
    return all;
  };
  require_same_on_all(comm, text, "the ranks were given different policies, paths or modes");
}

// Requests the stripes of the policy for files that are created.
MoverFiles checked(Communicator& comm, MoverFiles files, const Policy& policy, const MoverLimits& limits,
                   StripingReport& report) {
  run_and_agree(comm, [&] {
    policy.check();
    if (policy.call != Policy::Call::posix) require_mpi_thread();
    if (limits.memory_bytes < min_mover_memory_bytes) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("{} bytes of memory are not enough to move data", limits.memory_bytes),
                   .action = fmt::format("give at least {} bytes", min_mover_memory_bytes)});
    }
    if (!files.open || (policy.call == Policy::Call::mpiio_collective && !files.open_together)) {
      throw Error({.code = ErrorCode::usage, .problem = "no opener is given for the calls that the policy names"});
    }
    if (files.max_open < 0) {
      throw Error({.code = ErrorCode::usage, .problem = fmt::format("{} files cannot be open", files.max_open)});
    }
    if (policy.stripe_count > 0) {
      files.open = striped(std::move(files.open), {policy.stripe_count, policy.stripe_bytes}, report);
    }
  });
  require_same(comm, policy, files);
  return files;
}

// The maximum number of handles of a rank: independent ones, and collective ones that it shares with other ranks.
struct MaxOpen {
  std::int64_t own = 0;
  std::int64_t together = 0;
};

MaxOpen max_open(Communicator& comm, const MoverFiles& files, const Policy& policy) {
  const auto posix = static_cast<std::int64_t>(safe_open_files());
  std::array<std::int64_t, 2> max{std::min(files.max_open, posix), files.max_open};
  if (files.max_open == 0) {
    const auto mpiio = static_cast<std::int64_t>(safe_open_mpiio_files());
    switch (policy.call) {
      case Policy::Call::posix: max = {posix, 0}; break;
      case Policy::Call::mpiio: max = {mpiio, 0}; break;
      // Each kind gets half of the descriptors, unless MPI-IO needs fewer.
      case Policy::Call::mpiio_collective: {
        constexpr std::int64_t descriptors_each = 3;  // per MPI-IO file (safe_open_mpiio_files)
        const std::int64_t together = std::clamp<std::int64_t>(posix / 2 / descriptors_each, 1, mpiio);
        max = {std::max<std::int64_t>(1, posix - descriptors_each * together), together};
      }
    }
  }
  const bool are_shared = files.is_per_call && policy.call == Policy::Call::posix;
  if (are_shared) max[0] = std::max<std::int64_t>(1, max[0] / std::max(1, policy.async));
  comm.all_reduce(max, Reduction::min);
  return {max[0], max[1]};
}

// Determines the file system, and the stripes for alignment: the requested stripes, or the stripes of the first file as
// rank 0 sees it, or the stripes of its folder if the file does not exist.
void find_file_system(Communicator& comm, const Policy& policy, MoverTerms& terms) {
  terms.stripes = {0, 1};
  terms.reads_in_place = policy.call == Policy::Call::posix;
  if (terms.files.paths.empty()) return;
  const bool needs_stripes = policy.align == Policy::Align::stripe || policy.is_automatic();
  std::array<std::int64_t, 4> found{policy.stripe_count, policy.stripe_bytes, 0, 0};
  run_on_rank(comm, 0, [&] {
    std::string path = terms.files.paths.front();
    std::error_code error;
    if (!std::filesystem::exists(path, error)) path = std::filesystem::path(path).parent_path().string();
    if (path.empty()) path = ".";
    found[2] = static_cast<std::int64_t>(file_system_kind_of(path));
    found[3] = static_cast<std::int64_t>(device_of(path));
    if (found[0] > 0 || !needs_stripes) return;
    found[0] = striping_of(path).striping.value_or(Striping{}).count;
    found[1] = stripe_bytes_of(path);
  });
  comm.broadcast(std::as_writable_bytes(std::span(found)), 0);
  if (needs_stripes) terms.stripes = {static_cast<int>(found[0]), std::max<std::int64_t>(1, found[1])};
  terms.file_system = static_cast<FileSystemKind>(found[2]);
  terms.device = static_cast<std::uint64_t>(found[3]);
  terms.leaves_gaps = terms.reads_in_place && is_on_this_node(terms.file_system);
}

}  // namespace

MoverTerms agreed_terms(Communicator& comm, MoverFiles files, const Policy& policy, const MoverLimits& limits,
                        StripingReport& report) {
  MoverTerms terms;
  terms.files = checked(comm, std::move(files), policy, limits, report);
  const MaxOpen max = max_open(comm, terms.files, policy);
  terms.max_open = max.own;
  terms.max_open_together = max.together;
  terms.memory_bytes = limits.memory_bytes;
  const bool calls_mpi = policy.call == Policy::Call::mpiio;
  terms.threads = calls_mpi ? 1 : std::max(1, limits.threads);
  // Bytes go to a log before the call returns.
  terms.drain_threads = policy.burst.empty() || terms.files.mode == OpenMode::read ? 0 : terms.threads;
  terms.background_threads = calls_mpi || terms.drain_threads > 0 ? 0 : terms.threads;
  find_file_system(comm, policy, terms);
  constexpr double share_unit = 1e-6;
  std::array<std::int64_t, 2> reduced{stage_for(policy, terms), std::llround(core_share(comm) / share_unit)};
  comm.all_reduce(reduced, Reduction::min);
  terms.stage_bytes = reduced[0];
  terms.core_share = static_cast<double>(reduced[1]) * share_unit;
  terms.max_stages = max_stages(policy, terms);
  if (terms.drain_threads == 0) return terms;
  terms.drain_bytes =
      std::min(LatestBytes::max_request_bytes,
               static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes_each(terms)))));
  run_and_agree(comm, [&] { terms.burst = std::make_shared<BurstLog>(policy.burst, terms.files.meter); });
  return terms;
}

DecisionLimits MoverTerms::limits_of(const Policy& made, std::span<const int> node_of_ranks) const {
  const std::int64_t align_bytes = align_of(made, stripes);
  return {.stage_bytes = aligned_stage(std::min(stage_bytes, made.stage_or(stage_bytes)), align_bytes),
          .align_bytes = align_bytes,
          .topology = {node_of_ranks, stripes.count}};
}

}  // namespace sill
