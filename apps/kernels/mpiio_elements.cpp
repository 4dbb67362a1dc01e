#include "kernels/mpiio_elements.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "kernels/kernel.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/mpi_communicator.hpp"
#include "sill/store/mpiio/mpiio_file.hpp"
#include "sill/store/mpiio/mpiio_ranks.hpp"
#include "sill/store/mpiio/mpiio_types.hpp"
#include "sill/store/posix/free_space.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill::kernels {

struct MpiioElements::Places {
  std::optional<MpiRanks> ranks;
  MpiType type;
  std::vector<ByteRange> elements;
  std::int64_t bytes = 0;      // of this rank
  std::int64_t all_bytes = 0;  // of all ranks
};

MpiioElements::MpiioElements(Communicator& comm, std::int64_t element_bytes, std::span<const std::int64_t> places_bytes)
    : comm_(comm), places_(std::make_unique<Places>()) {
  run_and_agree(comm_, [&] {
    require_sound_mpiio();
    require_mpi_handles();
    const auto elements = static_cast<std::int64_t>(places_bytes.size());
    if (elements > std::numeric_limits<int>::max() / element_bytes) {
      throw usage_error(
          fmt::format("{} elements of {} bytes exceed the limit of one MPI-IO call", elements, element_bytes),
          "write fewer at once, or use more ranks");
    }
    places_->bytes = elements * element_bytes;
    if (elements == 0) return;
    places_->elements.reserve(places_bytes.size());
    for (const std::int64_t place : places_bytes) places_->elements.push_back({place, element_bytes});
    places_->type = file_type(places_->elements, 0);
  });
  std::array<std::int64_t, 1> bytes{places_->bytes};
  comm_.all_reduce(bytes, Reduction::sum);
  places_->all_bytes = bytes[0];
  std::vector<int> all(static_cast<std::size_t>(comm_.size()));
  std::iota(all.begin(), all.end(), 0);
  places_->ranks.emplace(mpi_handle(comm_), all);
}

MpiioElements::~MpiioElements() = default;

double MpiioElements::write(const std::string& path, std::span<const std::byte> values, Meter& meter) {
  // The first rank creates and checks the file, because after ROMIO has begun, a full disk may leave ranks waiting.
  run_on_rank(comm_, 0, [&] {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
      throw system_error(errno, "removing the file of an earlier run", {.file = path});
    }
    open_posix(path, OpenMode::create)->close();
    const std::int64_t room = free_space_bytes(path);
    if (room > 0 && room < places_->all_bytes) throw system_error(ENOSPC, "writing", {.file = path});
  });
  std::optional<MpiFile> file;
  run_and_agree(comm_, [&] {
    if (static_cast<std::int64_t>(values.size()) == places_->bytes) return;
    throw usage_error(fmt::format("{} bytes were passed for elements of {} bytes", values.size(), places_->bytes));
  });
  const Stopwatch opening;
  const std::optional<Error> not_opened =
      attempt([&] { file.emplace(places_->ranks->get(), path, true, MpiioHints()); });
  const double opening_s = opening.seconds();
  agree(comm_, not_opened);
  meter.count_open(opening_s);
  const Stopwatch writing;
  const bool written = file->write_together(places_->type, 0, values);
  const double writing_s = writing.seconds();
  if (written && !values.empty()) meter.count_writes(1, places_->bytes, writing_s);
  const Stopwatch closing;
  const bool closed = file->close();
  const double closing_s = closing.seconds();
  meter.count_close(closing_s);
  run_and_agree(comm_, [&] {
    if (!written) write_again(path, values);
    if (closed) return;
    throw Error({.code = ErrorCode::io, .problem = "MPI-IO failed to close the file", .where = {.file = path}});
  });
  return opening_s + writing_s + closing_s;
}

// Writes with system calls, whose errors state the cause.
void MpiioElements::write_again(const std::string& path, std::span<const std::byte> values) const {
  const std::unique_ptr<Store> store = open_posix(path, OpenMode::write);
  std::size_t at = 0;
  for (const ByteRange& element : places_->elements) {
    const auto length = static_cast<std::size_t>(element.length);
    write_at(*store, element.offset, values.subspan(at, length));
    at += length;
  }
  store->close();
}

}  // namespace sill::kernels
