#include "sill/survey/sort/key_table.hpp"

#include <algorithm>

namespace sill {

ByteRange joined(ByteRange a, ByteRange b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  const std::int64_t first = std::min(a.offset, b.offset);
  return {first, std::max(a.end(), b.end()) - first};
}

ByteRange needed_bytes(std::span<const segy::TraceKey> keys) {
  ByteRange all;
  for (const segy::TraceKey& key : keys) all = joined(all, key.needed_bytes());
  return all;
}

std::int64_t packed_bytes(std::span<const segy::TraceKey> keys) {
  std::int64_t total = 0;
  for (const segy::TraceKey& key : keys) total += key.packed_bytes();
  return total;
}

void rethrow_at(const Error& error, const SurveyReader& reader, std::int64_t trace) {
  throw_at(error, reader.where(trace));
}

}  // namespace sill
