#include "sill/survey/sort/key_table.hpp"

#include <algorithm>

namespace sill {

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

bool have_one_type(const segy::TraceKey& a, const segy::TraceKey& b) {
  const segy::WordRef* const of_a = a.word();
  const segy::WordRef* const of_b = b.word();
  const bool are_one = (of_a == nullptr) == (of_b == nullptr) && (of_a == nullptr || of_a->type == of_b->type);
  return are_one && a.packed_bytes() == b.packed_bytes();
}

void rethrow_at(const Error& error, const SurveyReader& reader, std::int64_t trace) {
  throw_at(error, reader.where(trace));
}

}  // namespace sill
