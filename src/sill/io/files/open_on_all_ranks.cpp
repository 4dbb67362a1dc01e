#include "sill/io/files/open_on_all_ranks.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "sill/base/checksum.hpp"
#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/store/ranged/ranged_source.hpp"

namespace sill {
namespace {

constexpr std::int64_t compared_first_bytes = 3600;
constexpr std::int64_t compared_last_bytes = 4096;

// The properties of a file as a rank sees it. Only the checksum is compared; the message contains all of them.
struct Seen {
  std::int64_t checksum = 0;  // includes the size
  std::int64_t bytes = 0;
  std::int64_t inode = 0;
  std::int64_t changed_s = 0;

  [[nodiscard]] std::string text() const {
    return fmt::format("{} bytes, checksum {:x}, inode {}, changed {:%Y-%m-%d %H:%M:%S} UTC", bytes, checksum, inode,
                       fmt::gmtime(changed_s));
  }
};

Seen seen_of(Store& store, const std::string& path) {
  Seen seen;
  seen.bytes = store.size_bytes();
  Checksum sum;
  sum.add(std::as_bytes(std::span(&seen.bytes, 1)));
  std::vector<std::byte> bytes;
  const auto add = [&](std::int64_t offset, std::int64_t length) {
    if (length == 0) return;
    bytes.resize(static_cast<std::size_t>(length));
    read_at(store, offset, bytes);
    sum.add(bytes);
  };
  const std::int64_t first = std::min(seen.bytes, compared_first_bytes);
  add(0, first);
  const std::int64_t last = std::min(seen.bytes - first, compared_last_bytes);
  add(seen.bytes - last, last);
  seen.checksum = static_cast<std::int64_t>(sum.value() >> 1U);
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    seen.inode = static_cast<std::int64_t>(status.st_ino);
    seen.changed_s = status.st_mtim.tv_sec;
  }
  return seen;
}

// Throws the error of different files on all ranks, with the file and the properties that the ranks see.
void refuse_different(Communicator& comm, std::span<const std::string> paths, std::span<const Seen> seen) {
  std::array<std::int64_t, 2> counts{std::ssize(seen), -std::ssize(seen)};
  comm.all_reduce(counts, Reduction::min);
  run_and_agree(comm, [&] {
    if (counts[0] == -counts[1]) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("the ranks name different numbers of inputs: {} to {}", counts[0], -counts[1]),
                 .action = "pass the same values on all ranks"});
  });
  std::vector<std::int64_t> min_and_max;
  for (const Seen& each : seen) min_and_max.insert(min_and_max.end(), {each.checksum, -each.checksum});
  comm.all_reduce(min_and_max, Reduction::min);
  std::size_t file = 0;
  while (file + 1 < seen.size() && min_and_max[2 * file] == -min_and_max[2 * file + 1]) ++file;
  const std::vector<Seen> of_ranks = all_gather(comm, seen[file]);
  const auto other =
      std::ranges::find_if(of_ranks, [&](const Seen& each) { return each.checksum != of_ranks.front().checksum; });
  run_on_rank(comm, static_cast<int>(other - of_ranks.begin()), [&] {
    throw Error(
        {.code = ErrorCode::io,
         .problem = fmt::format("the ranks see different files under this path: this rank sees {}; rank 0 sees {}",
                                other->text(), of_ranks.front().text()),
         .where = {.file = paths[file]},
         .action = "start all ranks in one folder, or give absolute paths; if the path is the same, check that all "
                   "nodes mount the same file system, and that no mount is stale"});
  });
}

}  // namespace

int threads_for_urls(const Resources& resources, std::span<const std::string> paths) {
  constexpr std::int64_t max_threads = 16;
  const auto urls = std::ranges::count_if(paths, is_url);
  return resources.comm.size() > 1 ? 1 : static_cast<int>(std::clamp<std::int64_t>(urls, 1, max_threads));
}

std::vector<std::unique_ptr<Store>> open_on_all_ranks(const Resources& resources, std::span<const std::string> paths) {
  Communicator& comm = resources.comm;
  std::vector<std::unique_ptr<Store>> stores;
  std::vector<Seen> seen;
  Checksum all;
  std::optional<Error> failed = attempt([&] {
    stores.resize(paths.size());
    parallel_for(threads_for_urls(resources, paths), std::ssize(paths), [&](std::int64_t file, int /*thread*/) {
      const auto at = static_cast<std::size_t>(file);
      stores[at] = resources.open(paths[at], OpenMode::read);
    });
    for (std::size_t file = 0; comm.size() > 1 && file < paths.size(); ++file) {
      seen.push_back(seen_of(*stores[file], paths[file]));
      all.add(std::as_bytes(std::span(&seen.back().checksum, 1)));
    }
  });
  // One reduction shows whether all ranks succeeded and see the same files.
  const auto mine = static_cast<std::int64_t>(all.value() >> 1U);
  std::array<std::int64_t, 3> reduced{mine, -mine, failed ? -1 : 0};
  comm.all_reduce(reduced, Reduction::min);
  if (reduced[2] != 0) agree(comm, failed);
  if (reduced[0] != -reduced[1]) refuse_different(comm, paths, seen);
  return stores;
}

}  // namespace sill
