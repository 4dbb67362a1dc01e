#include "sill/formats/hdf5/hdf5_file.hpp"

#include <algorithm>

#include "sill/base/byte_order.hpp"

namespace sill::hdf5 {

FileArray FileLayout::places(int file, const DatasetDescription& description, std::size_t variable,
                             std::int64_t step) const {
  const Variable& of = description.variables[variable];
  return row_major(file, begins[variable] + step * description.element_bytes(of), description.shape_of(of),
                   bytes_of(of.type));
}

std::vector<FilePiece> FileLayout::beginning(const DatasetDescription& description, std::int64_t complete) const {
  const auto text = std::as_bytes(std::span(signature));
  std::vector<FilePiece> pieces{{0, {text.begin(), text.end()}}};
  if (!description.has_steps()) return pieces;
  pieces.push_back({count_begin, std::vector<std::byte>(sizeof complete)});
  store(pieces.back().bytes.data(), complete, ByteOrder::little);
  return pieces;
}

std::vector<StoredBlock> blocks_of(const StoredVariable& stored, const DatasetDescription& description,
                                   const Variable& variable, std::int64_t step, const Box& box) {
  const std::int64_t size = bytes_of(variable.type);
  const auto block_at = [&](const Box& of, const Index& strides, std::int64_t first_byte) {
    return StoredBlock{of, {.first_byte = first_byte, .element_bytes = size, .strides_bytes = strides}};
  };
  const auto filled = [&](const Box& of) {
    StoredBlock block = block_at(of, Index(of.dimensions(), 0), 0);
    block.values = stored.fill.data();
    return block;
  };
  const Index shape = description.shape_of(variable);
  if (stored.chunk.empty()) {
    if (stored.begin < 0 && stored.values.empty()) return {filled(box)};
    const Index strides = row_major_strides(shape, size);
    StoredBlock block = block_at(box, strides,
                                 std::max<std::int64_t>(stored.begin, 0) + step * description.element_bytes(variable) +
                                     offset_of(box.first, strides));
    if (stored.begin < 0) block.values = stored.values.data();
    return {block};
  }
  // With the dimension of steps, as the chunks have it.
  const bool has_steps = description.has_steps(variable);
  const auto with_step = [&](Index index, std::int64_t of_step) {
    if (has_steps) index.insert(index.begin(), of_step);
    return index;
  };
  const Box all{with_step(box.first, step), with_step(box.count, 1)};
  const Index lengths = with_step(shape, 1);
  Index first(all.dimensions());
  Index last(all.dimensions());
  for (std::size_t d = 0; d < first.size(); ++d) {
    first[d] = all.first[d] / stored.chunk[d];
    last[d] = (all.first[d] + all.count[d] - 1) / stored.chunk[d];
  }
  const Index strides = row_major_strides(stored.chunk, size);
  std::vector<StoredBlock> blocks;
  for (Index at = first;;) {
    std::int64_t number = 0;
    Box chunk{at, stored.chunk};
    for (std::size_t d = 0; d < at.size(); ++d) {
      const bool is_of_steps = has_steps && d == 0;  // the slowest: its number of chunks does not matter
      number = number * (is_of_steps ? 1 : (lengths[d] + stored.chunk[d] - 1) / stored.chunk[d]) + at[d];
      chunk.first[d] = at[d] * stored.chunk[d];
    }
    Box part = intersection(chunk, all);
    Index inside = part.first;
    for (std::size_t d = 0; d < inside.size(); ++d) inside[d] -= chunk.first[d];
    const auto drop_step = [&](const Index& index) { return Index(index.begin() + (has_steps ? 1 : 0), index.end()); };
    const Box of{drop_step(part.first), drop_step(part.count)};
    const std::int64_t begin = stored.chunk_begins[static_cast<std::size_t>(number)];
    blocks.push_back(begin < 0 ? filled(of) : block_at(of, drop_step(strides), begin + offset_of(inside, strides)));
    std::size_t d = at.size();
    while (d > 0 && at[d - 1] == last[d - 1]) at[d - 1] = first[d - 1], --d;
    if (d == 0) return blocks;
    ++at[d - 1];
  }
}

}  // namespace sill::hdf5
