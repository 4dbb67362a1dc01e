#include "sill/flow/key_table.hpp"

#include <algorithm>

namespace sill {

ByteRange needed_bytes(std::span<const segy::TraceKey> keys) {
  ByteRange all;
  for (const segy::TraceKey& key : keys) {
    const ByteRange one = key.needed_bytes();
    if (one.empty()) continue;
    if (all.empty()) all = one;
    const std::int64_t first = std::min(all.offset, one.offset);
    all = {first, std::max(all.end(), one.end()) - first};
  }
  return all;
}

std::int64_t packed_bytes(std::span<const segy::TraceKey> keys) {
  std::int64_t total = 0;
  for (const segy::TraceKey& key : keys) total += key.packed_bytes();
  return total;
}

void rethrow_at(const Error& error, const Reader& reader, std::int64_t trace) { throw_at(error, reader.where(trace)); }

}  // namespace sill
