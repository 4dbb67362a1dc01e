#include "sill/move/parts.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "sill/plan/rows.hpp"

namespace sill {
namespace {

// What an encoder makes that is then scattered over an image passes through a tile that stays in the cache.
constexpr std::int64_t tile_bytes = 16 * 1024;

template <std::size_t Bytes>
void copy_runs_of(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
                  std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, Bytes);
}

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

bool has_code(const Part& part) { return part.extent->encoder != nullptr || part.extent->decoder != nullptr; }

// Calls `move(part, tile)` for consecutive pieces of the part that fit into a tile.
template <class Move>
void in_tiles(const Part& part, Move&& move) {
  std::array<std::byte, tile_bytes> tile;
  for (std::int64_t at = part.packed.offset; at < part.packed.end(); at += tile_bytes) {
    const std::int64_t length = std::min(tile_bytes, part.packed.end() - at);
    move(Part{part.extent, {at, length}}, std::span(tile).first(static_cast<std::size_t>(length)));
  }
}

std::byte* place_in(const Image& image, std::int64_t file_offset_bytes) {
  return image.memory + (file_offset_bytes - image.bytes.offset);
}

std::span<std::byte> stretch_of(const Part& part, const Image& image) {
  return {place_in(image, part.extent->file_offset_of(part.packed.offset)),
          static_cast<std::size_t>(part.packed.length)};
}

}  // namespace

bool is_contiguous_in_memory(const Part& part) {
  if (has_code(part)) return false;
  // The bytes of the innermost steps that follow each other in memory as they do in the file.
  std::int64_t block_bytes = part.extent->run_bytes;
  for (std::size_t level = part.extent->steps.size(); level-- > 0;) {
    const Step& step = part.extent->steps[level];
    if (step.memory_stride_bytes != block_bytes) break;
    block_bytes *= step.count;
  }
  return part.packed.offset / block_bytes == (part.packed.end() - 1) / block_bytes;
}

bool is_contiguous_in_file(const Part& part) {
  const std::int64_t last = part.packed.end() - 1;
  return part.extent->file_offset_of(last) - part.extent->file_offset_of(part.packed.offset) == part.packed.length - 1;
}

std::byte* memory_of(const Part& part) {
  std::byte* memory = nullptr;
  for_each_row(*part.extent, {part.packed.offset, 1}, [&](const Row& row) { memory = row.memory; });
  return memory;
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

void packed_to_image(const Part& part, std::span<const std::byte> packed, const Image& image) {
  const std::byte* from = packed.data();
  for_each_row(*part.extent, part.packed, [&](const Row& row) {
    copy_runs(place_in(image, row.file_offset_bytes), row.file_stride_bytes, from, row.run_bytes, row.run_bytes,
              row.count);
    from += row.count * row.run_bytes;
  });
}

void image_to_packed(const Part& part, const Image& image, std::span<std::byte> packed) {
  std::byte* to = packed.data();
  for_each_row(*part.extent, part.packed, [&](const Row& row) {
    copy_runs(to, row.run_bytes, place_in(image, row.file_offset_bytes), row.file_stride_bytes, row.run_bytes,
              row.count);
    to += row.count * row.run_bytes;
  });
}

void memory_to_image(const Part& part, const Image& image) {
  if (!has_code(part)) {
    for_each_row(*part.extent, part.packed, [&](const Row& row) {
      copy_runs(place_in(image, row.file_offset_bytes), row.file_stride_bytes, row.memory, row.memory_stride_bytes,
                row.run_bytes, row.count);
    });
  } else if (is_contiguous_in_file(part)) {
    pack(part, stretch_of(part, image));
  } else {
    in_tiles(part, [&](const Part& piece, std::span<std::byte> tile) {
      pack(piece, tile);
      packed_to_image(piece, tile, image);
    });
  }
}

void image_to_memory(const Part& part, const Image& image) {
  if (!has_code(part)) {
    for_each_row(*part.extent, part.packed, [&](const Row& row) {
      copy_runs(row.memory, row.memory_stride_bytes, place_in(image, row.file_offset_bytes), row.file_stride_bytes,
                row.run_bytes, row.count);
    });
  } else if (is_contiguous_in_file(part)) {
    unpack(part, stretch_of(part, image));
  } else {
    in_tiles(part, [&](const Part& piece, std::span<std::byte> tile) {
      image_to_packed(piece, image, tile);
      unpack(piece, tile);
    });
  }
}

}  // namespace sill
