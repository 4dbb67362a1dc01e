// A part of an extent, and the copies of its bytes between memory and a contiguous buffer.
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

  /// Local. Returns the range from the first byte in the file to the last. Precondition: not empty.
  [[nodiscard]] ByteRange bounding_range() const;
};

/// Local. Copies the bytes from memory or the encoder to `packed`, in file order. Precondition: packed.size() ==
/// part.packed.length. Errors: errors of the encoder.
void pack(const Part& part, std::span<std::byte> packed);
/// Local. Copies the bytes from `packed` to memory or the decoder.
void unpack(const Part& part, std::span<const std::byte> packed);

/// Local. Copies `count` runs of `run_bytes` with the strides `to_stride` and `from_stride` in bytes: the inner loop of
/// all code that moves strided bytes.
void copy_runs(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
               std::int64_t run_bytes, std::int64_t count);

}  // namespace sill
