#include "sill/plan/subarray.hpp"

#include <fmt/format.h>

#include "sill/base/error.hpp"

namespace sill {
namespace {

// Appends `run`, which is next in memory, as the next repetition if it has the same length and distance as the others.
// Returns false otherwise.
bool append_run(Extent& extent, ByteRange run) {
  if (run.length != extent.run_bytes || run.offset < extent.offset_bytes + extent.run_bytes) return false;
  if (extent.steps.empty()) {
    extent.steps.push_back({2, run.offset - extent.offset_bytes, run.length});
    return true;
  }
  Step& step = extent.steps[0];
  if (run.offset != extent.offset_bytes + step.count * step.file_stride_bytes) return false;
  ++step.count;
  return true;
}

}  // namespace

FileArray row_major(int file, std::int64_t first_byte, const Index& shape, std::int64_t element_bytes) {
  return {file, first_byte, element_bytes, row_major_strides(shape, element_bytes)};
}

Extent subarray(const FileArray& array, const Box& box, std::byte* memory, const Index& memory_strides_bytes) {
  if (box.dimensions() != array.strides_bytes.size() || box.dimensions() != memory_strides_bytes.size()) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("a box has {} dimensions, but its array has {} in the file and {} in memory",
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
  for (std::size_t i = 0; i < items.size();) {
    ByteRange run = list.bytes_of({items[i], 1});
    for (++i; i < items.size(); ++i) {
      const ByteRange next = list.bytes_of({items[i], 1});
      if (next.offset != run.end()) break;
      run.length += next.length;
    }
    if (extents.empty() || !append_run(extents.back(), run)) extents.push_back(contiguous(file, run, memory));
    memory += run.length;
  }
  return extents;
}

}  // namespace sill
