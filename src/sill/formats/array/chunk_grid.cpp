#include "sill/formats/array/chunk_grid.hpp"

#include <algorithm>
#include <utility>

#include "sill/base/error.hpp"

namespace sill {

ChunkGrid::ChunkGrid(Index shape, Index chunk, std::int64_t element_bytes)
    : shape_(std::move(shape)), chunk_(std::move(chunk)), counts_(shape_.size()), element_bytes_(element_bytes) {
  for (std::size_t d = 0; d < shape_.size(); ++d) counts_[d] = (shape_[d] + chunk_[d] - 1) / chunk_[d];
}

Index ChunkGrid::index_of(std::int64_t number) const {
  Index index(counts_.size());
  for (std::size_t d = index.size(); d-- > 1; number /= counts_[d]) index[d] = number % counts_[d];
  if (!index.empty()) index[0] = number;
  return index;
}

std::int64_t ChunkGrid::number_of(const Index& index) const {
  std::int64_t number = 0;
  for (std::size_t d = 0; d < index.size(); ++d) number = number * counts_[d] + index[d];
  return number;
}

ChunkGrid::Place ChunkGrid::place_of(const Index& element) const {
  Place place;
  for (std::size_t d = 0; d < element.size(); ++d) {
    place.chunk = place.chunk * counts_[d] + element[d] / chunk_[d];
    place.element = place.element * chunk_[d] + element[d] % chunk_[d];
  }
  return place;
}

void ChunkGrid::for_each_piece(const Box& box, const ArrayBox& memory,
                               const std::function<void(const Piece&)>& visit) const {
  const std::size_t dimensions = box.dimensions();
  Index first(dimensions);
  Index last(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) {
    first[d] = box.first[d] / chunk_[d];
    last[d] = (box.first[d] + box.count[d] - 1) / chunk_[d];
  }
  for (Index at = first;;) {
    Piece piece{.chunk = number_of(at), .in_chunk = box, .in_memory = memory};
    for (std::size_t d = 0; d < dimensions; ++d) {
      const std::int64_t begin = std::max(box.first[d], at[d] * chunk_[d]);
      const std::int64_t end = std::min(box.first[d] + box.count[d], (at[d] + 1) * chunk_[d]);
      piece.in_chunk.first[d] = begin - at[d] * chunk_[d];
      piece.in_chunk.count[d] = piece.in_memory.count[d] = end - begin;
      piece.in_memory.first += (begin - box.first[d]) * memory.strides_bytes[d];
    }
    visit(piece);
    std::size_t d = dimensions;
    while (d > 0 && at[d - 1] == last[d - 1]) --d;
    if (d == 0) return;
    ++at[d - 1];
    std::copy(first.begin() + static_cast<std::ptrdiff_t>(d), first.end(), at.begin() + static_cast<std::ptrdiff_t>(d));
  }
}

Index default_chunk(Index shape, std::int64_t element_bytes, bool divides) {
  const auto length_to_halve = [&](std::int64_t length) { return divides && length % 2 != 0 ? 0 : length; };
  for (Index& chunk = shape; whole(chunk).items() > default_chunk_bytes / element_bytes;) {
    std::int64_t& longest = *std::ranges::max_element(chunk, {}, length_to_halve);
    if (length_to_halve(longest) == 0) break;
    longest = (longest + 1) / 2;
  }
  return shape;
}

Index limited_shape(Index shape, const std::map<std::string, Index>& limits, const std::string& name) {
  if (const auto limit = limits.find(name); limit != limits.end()) {
    for (std::size_t d = 0; d < std::min(shape.size(), limit->second.size()); ++d)
      shape[d] = std::min(shape[d], limit->second[d]);
  }
  return shape;
}

Index new_chunk(const Index& shape, std::int64_t element_bytes, const std::optional<Index>& wanted, bool is_limited) {
  if (wanted && std::ranges::any_of(*wanted, [](std::int64_t length) { return length < 1; })) {
    throw Error({.code = ErrorCode::usage,
                 .problem = "a chunk has a length below 1",
                 .action = "give a length of at least 1 for each dimension"});
  }
  Index chunk =
      wanted && wanted->size() == shape.size() ? *wanted : default_chunk(shape, element_bytes, wanted && is_limited);
  for (std::size_t d = 0; d < shape.size(); ++d) chunk[d] = std::min(chunk[d], shape[d]);
  return chunk;
}

}  // namespace sill
