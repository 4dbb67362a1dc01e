// A part of an extent, and its bytes on their way between memory and a place without gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sill/plan/extent.hpp"

namespace sill {

/// Bytes `packed` of an extent, counted without its gaps.
struct Part {
  const Extent* extent = nullptr;
  ByteRange packed;

  /// Local. From the first byte in the file to the last. Precondition: not empty.
  [[nodiscard]] ByteRange bounding_range() const;
};

/// Local. From memory or the encoder into `packed`, in file order. Precondition: packed.size() == part.packed.length.
/// Errors: what the encoder throws.
void pack(const Part& part, std::span<std::byte> packed);
/// Local. From `packed` to memory or the decoder.
void unpack(const Part& part, std::span<const std::byte> packed);

/// Local. Copies `count` runs of `run_bytes` that lie `to_stride` and `from_stride` bytes apart: the inner loop of all
/// that moves strided bytes.
void copy_runs(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
               std::int64_t run_bytes, std::int64_t count);

}  // namespace sill
