#include "patterns.hpp"

#include <utility>

#include "sill/layout/decomposition.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "sill/plan/subarray.hpp"

namespace sill::bench {
namespace {

constexpr std::int64_t word_bytes = 4;

std::byte* at(std::byte* memory, std::int64_t offset_bytes) {
  return memory == nullptr ? nullptr : memory + offset_bytes;
}

}  // namespace

Pattern stations(int stations, int phases) {
  constexpr std::int64_t components = 9;
  constexpr std::int64_t records = 10;
  constexpr int owners = 4;
  const auto owner = [](std::int64_t component, int ranks) { return static_cast<int>(component % owners) % ranks; };
  Pattern pattern{"stations", stations, phases, word_bytes, {}, records * components * word_bytes, {}};
  pattern.memory_bytes = [=](int rank, int ranks) {
    std::int64_t bytes = 0;
    for (std::int64_t c = 0; c < components; ++c) bytes += owner(c, ranks) == rank ? records * word_bytes : 0;
    return bytes * stations;
  };
  pattern.plan = [=](int rank, int ranks, int phase, std::byte* memory) {
    std::vector<Extent> extents;
    std::int64_t used = 0;
    for (int station = 0; station < stations; ++station) {
      for (std::int64_t c = 0; c < components; ++c) {
        if (owner(c, ranks) != rank) continue;
        const std::int64_t record_bytes = components * word_bytes;
        extents.push_back({.file = station,
                           .offset_bytes = phase * records * record_bytes + c * word_bytes,
                           .run_bytes = word_bytes,
                           .steps = {{records, record_bytes, word_bytes}},
                           .memory = at(memory, used)});
        used += records * word_bytes;
      }
    }
    return AccessPlan::for_writing(std::move(extents));
  };
  return pattern;
}

Pattern planes(std::int64_t rows, std::int64_t columns, int phases) {
  constexpr std::int64_t components = 3;
  constexpr int planes = 3;
  Pattern pattern{"planes", planes * phases, phases, word_bytes, {}, 0, {}};
  pattern.memory_bytes = [=](int rank, int ranks) {
    return planes * components * block_of(rows, ranks, rank).count * columns * word_bytes;
  };
  pattern.plan = [=](int rank, int ranks, int phase, std::byte* memory) {
    const ItemRange own = block_of(rows, ranks, rank);
    const std::int64_t array_bytes = own.count * columns * word_bytes;
    const std::int64_t element_bytes = components * word_bytes;
    std::vector<Extent> extents;
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      for (std::int64_t c = 0; c < components; ++c) {
        extents.push_back({.file = static_cast<int>(phase * planes + plane),
                           .offset_bytes = own.first * columns * element_bytes + c * word_bytes,
                           .run_bytes = word_bytes,
                           .steps = {{own.count, columns * element_bytes, columns * word_bytes},
                                     {columns, element_bytes, word_bytes}},
                           .memory = at(memory, (plane * components + c) * array_bytes)});
      }
    }
    return AccessPlan::for_writing(std::move(extents));
  };
  return pattern;
}

Pattern volume(std::int64_t x, std::int64_t y, std::int64_t z, int steps, int phases) {
  const Index shape{z, y, x};
  const auto distributed = [=](int ranks) {
    // As square as can be in the two faster dimensions.
    std::int64_t across = 1;
    for (std::int64_t i = 1; i * i <= ranks; ++i) across = ranks % i == 0 ? i : across;
    return GridDecomposition::blocks(shape, {1, ranks / across, across});
  };
  Pattern pattern{"volume", 1, phases, 0, {}, steps * x * y * z * word_bytes, {}};
  pattern.memory_bytes = [=](int rank, int ranks) {
    return distributed(ranks).box_of(rank).items() * steps * word_bytes;
  };
  pattern.plan = [=](int rank, int ranks, int phase, std::byte* memory) {
    const Box own = distributed(ranks).box_of(rank);
    const Box box{{std::int64_t{phase} * steps, own.first[0], own.first[1], own.first[2]},
                  {steps, own.count[0], own.count[1], own.count[2]}};
    const FileArray array = row_major(0, 0, {std::int64_t{phases} * steps, z, y, x}, word_bytes);
    return AccessPlan::for_writing({subarray(array, box, memory, row_major_strides(box.count, word_bytes))});
  };
  return pattern;
}

Pattern small_files(int files, std::int64_t bytes_each) {
  Pattern pattern{"small", files, 1, 0, {}, 0, {}};
  pattern.memory_bytes = [=](int rank, int ranks) { return block_of(files, ranks, rank).count * bytes_each; };
  pattern.plan = [=](int rank, int ranks, int /*phase*/, std::byte* memory) {
    const ItemRange own = block_of(files, ranks, rank);
    std::vector<Extent> extents;
    for (std::int64_t i = 0; i < own.count; ++i) {
      extents.push_back(contiguous(static_cast<int>(own.first + i), {0, bytes_each}, at(memory, i * bytes_each)));
    }
    return AccessPlan::for_writing(std::move(extents));
  };
  return pattern;
}

std::vector<Pattern> all_patterns() {
  return {stations(650, 20), planes(520, 370, 5), volume(200, 100, 50, 5, 4), small_files(1024, 8192)};
}

}  // namespace sill::bench
