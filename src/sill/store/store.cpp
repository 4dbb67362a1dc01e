#include "sill/store/store.hpp"

#include <vector>

#include "sill/base/error.hpp"
#include "sill/plan/rows.hpp"

namespace sill {

void append_piece(std::vector<iovec>& pieces, std::byte* memory, std::size_t bytes, std::size_t first) {
  if (pieces.size() > first) {
    iovec& last = pieces.back();
    if (static_cast<std::byte*>(last.iov_base) + last.iov_len == memory) {
      last.iov_len += bytes;
      return;
    }
  }
  pieces.push_back({memory, bytes});
}

std::int64_t length_of(const Request& request) {
  std::int64_t total = 0;
  for (const iovec& piece : request.memory) total += static_cast<std::int64_t>(piece.iov_len);
  return total;
}

// Makes one request per contiguous stretch of the file, and submits many at once.
void Store::submit_extents(Operation operation, std::span<const Extent> extents) {
  if (extents.size() == 1 && extents.front().steps.empty()) {
    const Extent& extent = extents.front();
    const iovec piece{extent.memory, static_cast<std::size_t>(extent.run_bytes)};
    const Request request{operation, extent.offset_bytes, {&piece, 1}};
    submit({&request, 1});
    return;
  }
  constexpr std::size_t max_at_once = 1024;
  struct Stretch {
    std::int64_t offset_bytes;
    std::size_t first_piece;
  };
  std::vector<iovec> pieces;
  std::vector<Stretch> stretches;
  std::vector<Request> requests;
  std::int64_t end = -1;
  const auto flush = [&] {
    requests.clear();
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      const std::size_t last = i + 1 < stretches.size() ? stretches[i + 1].first_piece : pieces.size();
      requests.push_back({operation, stretches[i].offset_bytes,
                          std::span(pieces).subspan(stretches[i].first_piece, last - stretches[i].first_piece)});
    }
    submit(requests);
    pieces.clear();
    stretches.clear();
    end = -1;
  };
  for (const Extent& extent : extents) {
    for_each_row(extent, {0, extent.total_bytes()}, [&](const Row& row) {
      for (std::int64_t i = 0; i < row.count; ++i) {
        const std::int64_t offset = row.file_offset_bytes + i * row.file_stride_bytes;
        if (pieces.size() == max_at_once) flush();
        if (offset != end) stretches.push_back({offset, pieces.size()});
        pieces.push_back({row.memory + i * row.memory_stride_bytes, static_cast<std::size_t>(row.run_bytes)});
        end = offset + row.run_bytes;
      }
    });
  }
  if (!pieces.empty()) flush();
}

void Store::submit_linked(std::span<LinkedRead> reads) {
  for (LinkedRead& read : reads) {
    std::int64_t at = read.offset_bytes;
    for (read.items = 0; read.items < read.max_items && at <= read.end_byte - read.length_bytes; ++read.items) {
      std::byte* const item = read.memory + read.items * read.length_bytes;
      read_at(*this, at, {item, static_cast<std::size_t>(read.length_bytes)});
      at += read.distance(read.context, item);
    }
  }
}

void Store::submit_collective(Operation /*operation*/, std::span<const Extent> /*extents*/) {
  throw Error({.code = ErrorCode::usage, .problem = "this store has no collective calls", .where = {.file = name()}});
}

void read_at(Store& store, std::int64_t offset_bytes, std::span<std::byte> bytes) {
  const iovec piece{bytes.data(), bytes.size()};
  const Request request{Operation::read, offset_bytes, {&piece, 1}};
  store.submit({&request, 1});
}

void write_at(Store& store, std::int64_t offset_bytes, std::span<const std::byte> bytes) {
  // iovec is not const; a write request does not change the memory.
  const iovec piece{const_cast<std::byte*>(bytes.data()), bytes.size()};
  const Request request{Operation::write, offset_bytes, {&piece, 1}};
  store.submit({&request, 1});
}

}  // namespace sill
