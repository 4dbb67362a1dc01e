#include "sill/move/segments.hpp"

#include <algorithm>
#include <array>

#include "sill/plan/rows.hpp"

namespace sill {
namespace {

// Encoded bytes that are then scattered over an image in short runs pass through a tile that stays in the cache.
constexpr std::int64_t tile_bytes = 16 * 1024;

std::byte* place_in(const Image& image, std::int64_t file_offset_bytes) {
  return image.memory + (file_offset_bytes - image.bytes.offset);
}

// Shorter runs of a file are encoded or decoded in groups.
constexpr std::int64_t long_run_bytes = 1024;

// Calls `move(piece, bytes)` for the runs of a part in the image, or `move_tile(piece, tile)` for pieces of many runs.
template <class Move, class MoveTile>
void in_pieces(const Part& part, const Image& image, Move&& move, MoveTile&& move_tile) {
  if (part.extent->run_bytes >= long_run_bytes) {
    for_each_run(*part.extent, part.packed, [&](const ExtentRun& run) {
      move(Part{part.extent, run.packed},
           std::span(place_in(image, run.in_file.offset), static_cast<std::size_t>(run.in_file.length)));
    });
    return;
  }
  std::array<std::byte, tile_bytes> tile;
  for (std::int64_t at = part.packed.offset; at < part.packed.end(); at += tile_bytes) {
    const std::int64_t length = std::min(tile_bytes, part.packed.end() - at);
    move_tile(Part{part.extent, {at, length}}, std::span(tile).first(static_cast<std::size_t>(length)));
  }
}

std::span<std::byte> stretch_of(const Part& part, const Image& image) {
  return {place_in(image, part.extent->file_offset_of(part.packed.offset)),
          static_cast<std::size_t>(part.packed.length)};
}

}  // namespace

bool is_contiguous_in_memory(const Part& part) {
  if (part.extent->has_code()) return false;
  // The number of bytes of the innermost steps that are contiguous in memory as in the file.
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
  if (!part.extent->has_code()) {
    for_each_row(*part.extent, part.packed, [&](const Row& row) {
      copy_runs(place_in(image, row.file_offset_bytes), row.file_stride_bytes, row.memory, row.memory_stride_bytes,
                row.run_bytes, row.count);
    });
  } else if (is_contiguous_in_file(part)) {
    pack(part, stretch_of(part, image));
  } else {
    in_pieces(part, image, pack, [&](const Part& piece, std::span<std::byte> tile) {
      pack(piece, tile);
      packed_to_image(piece, tile, image);
    });
  }
}

void image_to_memory(const Part& part, const Image& image) {
  if (!part.extent->has_code()) {
    for_each_row(*part.extent, part.packed, [&](const Row& row) {
      copy_runs(row.memory, row.memory_stride_bytes, place_in(image, row.file_offset_bytes), row.file_stride_bytes,
                row.run_bytes, row.count);
    });
  } else if (is_contiguous_in_file(part)) {
    unpack(part, stretch_of(part, image));
  } else {
    in_pieces(part, image, unpack, [&](const Part& piece, std::span<std::byte> tile) {
      image_to_packed(piece, image, tile);
      unpack(piece, tile);
    });
  }
}

}  // namespace sill
