#include "sill/store/mpiio/mpiio_hint_trial.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/mpi_communicator.hpp"
#include "sill/comm/node.hpp"
#include "sill/store/mpiio/mpiio_file.hpp"
#include "sill/store/mpiio/mpiio_ranks.hpp"
#include "sill/store/posix/counted_calls.hpp"

namespace sill {
namespace {

// Creates a file on rank 0 that all ranks then open.
std::string make_file(Communicator& comm, const std::string& folder) {
  std::string path = folder + "/.sill-hints-XXXXXX";
  run_on_rank(comm, 0, [&] {
    const int descriptor = ::mkstemp(path.data());
    if (descriptor < 0) throw system_error(errno, "creating a file", {.file = folder});
    ::close(descriptor);
  });
  comm.broadcast(std::as_writable_bytes(std::span(path)), 0);
  return path;
}

}  // namespace

MpiioEffect try_mpiio_hints(Communicator& comm, const std::string& folder, const MpiioHints& hints) {
  run_and_agree(comm, [&] {
    require_sound_mpiio();
    require_sensible(hints);
  });
  std::vector<int> everyone(static_cast<std::size_t>(comm.size()));
  std::iota(everyone.begin(), everyone.end(), 0);
  const MpiRanks all(mpi_handle(comm), everyone);
  const std::string path = make_file(comm, folder);
  const auto bytes = static_cast<std::size_t>(hints.buffer_bytes);
  MpiioEffect effect;
  try {
    std::vector<std::byte> buffer = run_and_agree(comm, [&] { return std::vector<std::byte>(bytes); });
    std::optional<MpiFile> file;
    run_and_agree(comm, [&] { file.emplace(all.get(), path, true, hints); });
    // One rank supplies all bytes, so that the counted writes of the other ranks go to the file, not to a network. The
    // first rank is measured while the last rank supplies the bytes.
    for (const int source : {0, comm.size() - 1}) {
      const CountedCalls before = run_and_agree(comm, required_counted_calls);
      const bool done = file->write_together({}, 0, std::span(buffer).first(comm.rank() == source ? bytes : 0));
      const CountedCalls after = run_and_agree(comm, required_counted_calls);
      const bool is_compared = source == 0 ? comm.rank() > 0 || comm.size() == 1 : comm.rank() == 0;
      const std::int64_t written = after.written_bytes - before.written_bytes;
      const bool wrote = is_compared && written >= hints.buffer_bytes / comm.size() / 2;
      effect.aggregators += static_cast<int>(all_reduce(comm, wrote ? 1 : 0, Reduction::sum));
      const std::int64_t length = wrote ? written / std::max<std::int64_t>(1, after.writes - before.writes) : 0;
      effect.write_bytes = std::max(effect.write_bytes, all_reduce(comm, length, Reduction::max));
      run_and_agree(comm, [&] {
        if (!done) throw Error({.problem = "MPI-IO failed to write", .where = {.file = path}});
      });
      if (comm.size() == 1) break;
    }
    run_and_agree(comm, [&] {
      if (!file->close()) throw Error({.problem = "MPI-IO failed to close a file", .where = {.file = path}});
    });
  } catch (...) {
    if (comm.rank() == 0) ::unlink(path.c_str());
    throw;
  }
  if (comm.rank() == 0) ::unlink(path.c_str());
  return effect;
}

namespace {

TriedHint try_writers(Communicator& comm, const std::string& folder, int asked) {
  const int nodes = node_count(comm);
  const int wrote = try_mpiio_hints(comm, folder, {.aggregators = asked}).aggregators;
  return {"cb_nodes", asked == 0 ? "one per node" : fmt::format("{}", asked),
          fmt::format("{} rank{} wrote", wrote, wrote == 1 ? "" : "s"), wrote == (asked == 0 ? nodes : asked)};
}

TriedHint try_buffer(Communicator& comm, const std::string& folder, std::int64_t asked_bytes) {
  const std::int64_t wrote = try_mpiio_hints(comm, folder, {1, asked_bytes}).write_bytes;
  // The system counts all writes of a process, including messages.
  const std::int64_t beside = asked_bytes / 64;
  return {"cb_buffer_size", exact_bytes(asked_bytes), fmt::format("writes of {} bytes", format_count(wrote)),
          wrote >= asked_bytes - beside && wrote <= asked_bytes + beside};
}

}  // namespace

std::vector<TriedHint> try_all_mpiio_hints(Communicator& comm, const std::string& folder) {
  constexpr std::int64_t mib = 1 << 20;
  std::vector<TriedHint> tried{try_writers(comm, folder, 0), try_writers(comm, folder, 1)};
  if (comm.size() > 1) tried.push_back(try_writers(comm, folder, comm.size()));
  for (const std::int64_t bytes : {mib, MpiioHints{}.buffer_bytes}) tried.push_back(try_buffer(comm, folder, bytes));
  return tried;
}

}  // namespace sill
