#include "sill/io/arrays/output/value_ranges.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "sill/base/byte_order.hpp"
#include "sill/base/threads.hpp"
#include "sill/formats/array/element_type.hpp"
#include "sill/plan/part.hpp"

namespace sill {
namespace {

constexpr std::int64_t value_block_bytes = 64 << 10;

// The accumulators are independent, so that compilers can vectorize the loop.
template <class T>
void add_chunk(const std::byte* bytes, std::size_t count, image::ValueRange& range) {
  constexpr std::size_t lanes = 16;
  std::array<T, lanes> min;
  std::array<T, lanes> max;
  const T at_first =
      std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  min.fill(at_first);
  max.fill(std::numeric_limits<T>::has_infinity ? -at_first : std::numeric_limits<T>::lowest());
  const auto add = [&](std::size_t i, std::size_t lane) {
    const T value = load<T>(bytes + i * sizeof(T), ByteOrder::little);
    min[lane] = value < min[lane] ? value : min[lane];
    max[lane] = value > max[lane] ? value : max[lane];
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) add(i + lane, lane);
  }
  for (; i < count; ++i) add(i, 0);
  range.add({static_cast<double>(std::ranges::min(min)), static_cast<double>(std::ranges::max(max))});
}

// Returns integers with the order of the numbers.
std::int64_t ordered(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits >= 0 ? bits : bits ^ std::numeric_limits<std::int64_t>::max();
}

double number_of(std::int64_t ordered) {
  return std::bit_cast<double>(ordered >= 0 ? ordered : ordered ^ std::numeric_limits<std::int64_t>::max());
}

}  // namespace

void add_values(std::span<const Extent> extents, const DatasetDescription& description, const image::ImageFile& file,
                int threads, std::vector<image::ValueRange>& ranges) {
  struct Chunk {
    Part part;
    std::size_t variable;
  };
  std::vector<Chunk> chunks;
  for (const Extent& extent : extents) {
    for (std::size_t v = 0; v < file.begins.size(); ++v) {
      const Variable& variable = description.variables[v];
      if (!file.begins[v] || extent.offset_bytes < *file.begins[v] ||
          extent.offset_bytes >= *file.begins[v] + description.element_bytes(variable)) {
        continue;
      }
      const std::int64_t bytes = extent.total_bytes();
      for (std::int64_t at = 0; at < bytes; at += value_block_bytes)
        chunks.push_back({{&extent, {at, std::min(value_block_bytes, bytes - at)}}, v});
      break;
    }
  }
  std::vector<std::vector<image::ValueRange>> of_threads(static_cast<std::size_t>(threads), ranges);
  run_on_threads(threads, [&](int thread) {
    std::vector<std::byte> bytes(value_block_bytes);
    for (std::size_t c = static_cast<std::size_t>(thread); c < chunks.size(); c += static_cast<std::size_t>(threads)) {
      const Chunk& chunk = chunks[c];
      const std::span<std::byte> mine = std::span(bytes).first(static_cast<std::size_t>(chunk.part.packed.length));
      pack(chunk.part, mine);
      visit_type(description.variables[chunk.variable].type, [&](auto of_type) {
        using T = decltype(of_type);
        add_chunk<T>(mine.data(), mine.size() / sizeof(T),
                     of_threads[static_cast<std::size_t>(thread)][chunk.variable]);
      });
    }
  });
  for (const std::vector<image::ValueRange>& of_thread : of_threads) {
    for (std::size_t v = 0; v < ranges.size(); ++v) ranges[v].add(of_thread[v]);
  }
}

void join(Communicator& comm, std::vector<image::ValueRange>& ranges) {
  std::vector<std::int64_t> numbers;
  for (const image::ValueRange& each : ranges) {
    numbers.push_back(ordered(each.min));
    numbers.push_back(ordered(-each.max));
  }
  comm.all_reduce(numbers, Reduction::min);
  for (std::size_t v = 0; v < ranges.size(); ++v) {
    ranges[v] = {number_of(numbers[2 * v]), -number_of(numbers[2 * v + 1])};
  }
}

}  // namespace sill
