#include "sill/plan/subarray.hpp"

#include <fmt/format.h>

#include "sill/base/error.hpp"

namespace sill {

FileArray row_major(int file, std::int64_t first_byte, const Index& shape, std::int64_t element_bytes) {
  return {file, first_byte, element_bytes, row_major_strides(shape, element_bytes)};
}

Extent subarray(const FileArray& array, const Box& box, std::byte* memory, const Index& memory_strides_bytes) {
  if (box.dimensions() != array.strides_bytes.size() || box.dimensions() != memory_strides_bytes.size()) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("a box of {} dimensions was to be taken from an array of {} in the file and {} "
                                        "in memory",
                                        box.dimensions(), array.strides_bytes.size(), memory_strides_bytes.size())});
  }
  Extent extent{.file = array.file,
                .offset_bytes = array.first_byte + offset_of(box.first, array.strides_bytes),
                .run_bytes = array.element_bytes,
                .memory = memory};
  for (std::size_t d = 0; d < box.dimensions(); ++d) {
    extent.steps.push_back({box.count[d], array.strides_bytes[d], memory_strides_bytes[d]});
  }
  return extent;
}

std::vector<Extent> listed(int file, const ItemList& list, std::span<const std::int64_t> items, std::byte* memory) {
  std::vector<Extent> extents;
  for (const std::int64_t item : items) {
    const ByteRange bytes = list.bytes_of({item, 1});
    if (!extents.empty() && extents.back().offset_bytes + extents.back().run_bytes == bytes.offset) {
      extents.back().run_bytes += bytes.length;
    } else {
      extents.push_back(contiguous(file, bytes, memory));
    }
    memory += bytes.length;
  }
  return extents;
}

}  // namespace sill
