#include "sill/store/store.hpp"

namespace sill {

std::int64_t length_of(const Request& request) {
  std::int64_t total = 0;
  for (const iovec& piece : request.memory) total += static_cast<std::int64_t>(piece.iov_len);
  return total;
}

void read_at(Store& store, std::int64_t offset_bytes, std::span<std::byte> bytes) {
  const iovec piece{bytes.data(), bytes.size()};
  const Request request{Operation::read, offset_bytes, {&piece, 1}};
  store.submit({&request, 1});
}

void write_at(Store& store, std::int64_t offset_bytes, std::span<const std::byte> bytes) {
  // iovec has no const; a write request leaves the memory alone.
  const iovec piece{const_cast<std::byte*>(bytes.data()), bytes.size()};
  const Request request{Operation::write, offset_bytes, {&piece, 1}};
  store.submit({&request, 1});
}

}  // namespace sill
