#include "sill/plan/part.hpp"

#include <cstring>

#include "sill/plan/rows.hpp"

namespace sill {
namespace {

template <std::size_t Bytes>
void copy_runs_of(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
                  std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, Bytes);
}

}  // namespace

void copy_runs(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
               std::int64_t run_bytes, std::int64_t count) {
  if (count == 1 || (to_stride == run_bytes && from_stride == run_bytes)) {
    std::memcpy(to, from, static_cast<std::size_t>(run_bytes * count));
    return;
  }
  switch (run_bytes) {
    case 1: return copy_runs_of<1>(to, to_stride, from, from_stride, count);
    case 2: return copy_runs_of<2>(to, to_stride, from, from_stride, count);
    case 4: return copy_runs_of<4>(to, to_stride, from, from_stride, count);
    case 8: return copy_runs_of<8>(to, to_stride, from, from_stride, count);
    case 12: return copy_runs_of<12>(to, to_stride, from, from_stride, count);
    case 16: return copy_runs_of<16>(to, to_stride, from, from_stride, count);
    default:
      for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(to + i * to_stride, from + i * from_stride, static_cast<std::size_t>(run_bytes));
      }
  }
}

ByteRange Part::bounding_range() const {
  const std::int64_t begin = extent->file_offset_of(packed.offset);
  return {begin, extent->file_offset_of(packed.end() - 1) + 1 - begin};
}

void pack(const Part& part, std::span<std::byte> packed) {
  if (part.extent->encoder != nullptr) {
    part.extent->encoder->fill(part.packed, packed);
    return;
  }
  std::byte* to = packed.data();
  for_each_row(*part.extent, part.packed, [&](const Row& row) {
    copy_runs(to, row.run_bytes, row.memory, row.memory_stride_bytes, row.run_bytes, row.count);
    to += row.count * row.run_bytes;
  });
}

void unpack(const Part& part, std::span<const std::byte> packed) {
  if (part.extent->decoder != nullptr) {
    part.extent->decoder->take(part.packed, packed);
    return;
  }
  const std::byte* from = packed.data();
  for_each_row(*part.extent, part.packed, [&](const Row& row) {
    copy_runs(row.memory, row.memory_stride_bytes, from, row.run_bytes, row.run_bytes, row.count);
    from += row.count * row.run_bytes;
  });
}

}  // namespace sill
