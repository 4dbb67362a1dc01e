#include "sill/store/mpiio/mpiio_own.hpp"

#include <algorithm>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/store/part/part_name.hpp"

namespace sill {
namespace {

// Contiguous pieces of at least this size are not copied into a buffer.
constexpr std::int64_t direct_bytes = std::int64_t{1} << 20U;

// Reading or writing a gap of this size costs no more than a separate request.
constexpr std::int64_t free_gap_bytes = 4096;

}  // namespace

// Parts with ascending bounding ranges that do not interleave, as MPI requires for a file view.
struct MpiioStore::Call {
  std::vector<Part> parts;
  std::int64_t bytes = 0;
  std::int64_t runs = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;

  [[nodiscard]] bool takes(const Part& part) const { return parts.empty() || part.bounding_range().offset >= end; }

  void add(const Part& part) {
    const ByteRange bounding_range = part.bounding_range();
    if (parts.empty()) begin = bounding_range.offset;
    end = bounding_range.end();
    bytes += part.packed.length;
    runs += part.packed.length / part.extent->run_bytes + 1;
    parts.push_back(part);
  }

  void clear() { *this = {}; }
};

MpiioStore::MpiioStore(std::unique_ptr<Store> posix, std::string path, bool writable, const MpiioHints& hints,
                       MpiioHintReport* report)
    : ForwardingStore(std::move(posix)), path_(std::move(path)), writable_(writable), hints_(hints), report_(report) {}

MpiFile& MpiioStore::own() {
  if (!own_) {
    require_mpi_handles();
    own_.emplace(MPI_COMM_SELF, path_, writable_, hints_);
    report_hints(*own_);
  }
  return *own_;
}

void MpiioStore::report_hints(const MpiFile& file) const {
  if (report_ != nullptr) report_->add(target_of_part(path_), file.hints());
}

void MpiioStore::close() {
  const bool closed = !own_ || own_->close();
  posix().close();
  if (!closed) {
    throw Error({.code = ErrorCode::io, .problem = "MPI-IO failed to close the file", .where = {.file = name()}});
  }
}

void MpiioStore::submit(std::span<const Request> requests) {
  constexpr std::size_t pieces_at_once = 4096;
  std::vector<Extent> extents;
  for (const Request& request : requests) {
    std::int64_t at = request.offset_bytes;
    for (std::size_t i = 0; i < request.memory.size(); ++i) {
      const iovec& piece = request.memory[i];
      const auto length = static_cast<std::int64_t>(piece.iov_len);
      if (length > 0) extents.push_back(contiguous(0, {at, length}, static_cast<std::byte*>(piece.iov_base)));
      at += length;
      if (i + 1 < request.memory.size() && extents.size() < pieces_at_once) continue;
      submit_extents(request.operation, extents);
      extents.clear();
    }
  }
}

void MpiioStore::submit_strided(const StridedRead& read) {
  if (read.count <= 0 || read.length_bytes <= 0) return;
  Extent extent = contiguous(0, {read.offset_bytes, read.length_bytes}, read.memory);
  if (read.count > 1) extent.steps = {{read.count, read.stride_bytes, read.length_bytes}};
  submit_extents(Operation::read, {&extent, 1});
}

void MpiioStore::submit_extents(Operation operation, std::span<const Extent> extents) {
  require_sound_mpiio();
  if (operation == Operation::read) {
    // For a strided read MPI reports the requested bytes as read even if the file ends earlier.
    std::int64_t end = 0;
    for (const Extent& extent : extents) end = std::max(end, extent.bounding_range().end());
    if (end > posix().size_bytes()) {
      posix().submit_extents(operation, extents);
      return;
    }
  }
  Call call;
  for (const Extent& extent : extents) {
    const std::int64_t total = extent.total_bytes();
    if (total == 0) continue;
    if (extent.steps.empty() && total >= direct_bytes) {
      move_contiguous(operation, extent);
      continue;
    }
    for (std::int64_t at = 0; at < total;) {
      const std::int64_t room = hints_.buffer_bytes - call.bytes;
      const std::int64_t room_of_runs = (runs_per_call - call.runs) * std::min(extent.run_bytes, hints_.buffer_bytes);
      const std::int64_t length = std::min({total - at, room, room_of_runs});
      const Part part{&extent, {at, length}};
      if (length <= 0 || !call.takes(part)) {
        perform(operation, call);
        call.clear();
        continue;
      }
      call.add(part);
      at += length;
    }
  }
  perform(operation, call);
  buffer_ = {};  // hundreds of files may be open
}

void MpiioStore::move_contiguous(Operation operation, const Extent& extent) {
  if (own().move(operation, extent.bounding_range(), extent.memory)) return;
  posix().submit_extents(operation, {&extent, 1});
}

void MpiioStore::perform(Operation operation, const Call& call) {
  if (call.parts.empty()) return;
  const std::vector<Extent> extents = extents_of(call.parts);
  if (extents.size() == 1 && extents[0].steps.empty()) {
    move_contiguous(operation, extents[0]);
    return;
  }
  // The bytes are packed here and not by memory datatypes: ROMIO would also copy them, more slowly, or perform one
  // request per run.
  buffer_.resize(static_cast<std::size_t>(call.bytes));
  const auto for_each_part = [&](const auto& work) {
    std::size_t at = 0;
    for (const Part& part : call.parts) {
      const auto length = static_cast<std::size_t>(part.packed.length);
      work(part, std::span(buffer_).subspan(at, length));
      at += length;
    }
  };
  if (operation == Operation::write) for_each_part(pack);
  const std::int64_t gaps = call.end - call.begin - call.bytes;
  const bool sieve = gaps <= call.bytes || gaps <= free_gap_bytes * call.runs;
  const bool done = gaps == 0 ? own().move(operation, {call.begin, call.bytes}, buffer_.data())
                              : own().move(operation, file_type(extents, call.begin), call.begin, buffer_, sieve);
  if (!done) {
    posix().submit_extents(operation, extents);
  } else if (operation == Operation::read) {
    for_each_part(unpack);
  }
}

}  // namespace sill
