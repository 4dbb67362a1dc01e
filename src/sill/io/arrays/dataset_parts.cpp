#include "sill/io/arrays/dataset_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "sill/base/error.hpp"

namespace sill {
namespace {

// Returns the elements of a list in memory without those at the positions `skipped`; empty if none is skipped.
std::vector<std::byte> without(const ArrayPart& part, std::span<const std::size_t> skipped) {
  std::vector<std::byte> kept;
  if (skipped.empty()) return kept;
  const auto size = static_cast<std::size_t>(bytes_of(part.type));
  auto next = skipped.begin();
  for (std::size_t i = 0; i < part.elements->size(); ++i) {
    if (next != skipped.end() && *next == i) {
      ++next;
    } else {
      kept.insert(kept.end(), part.first + i * size, part.first + (i + 1) * size);
    }
  }
  return kept;
}

}  // namespace

void require_steps(std::span<const ArrayPart> parts, std::optional<std::int64_t> steps) {
  if (steps && (*steps < 1 || *steps > max_steps_of_call)) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("arrays: a call completes {} steps", *steps),
                 .action = fmt::format("complete 1 to {}", max_steps_of_call)});
  }
  for (const ArrayPart& part : parts) {
    if (part.error) throw Error(*part.error);
    if (part.step >= 0 && part.step < steps.value_or(1)) continue;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("variable {}: a part has step {}, but this call completes {} steps",
                                        part.variable, part.step, steps.value_or(1)),
                 .action = "count the steps of a call from 0, and complete them with the call (write_steps, in C and "
                           "Fortran sill_dataset_write_step)"});
  }
}

void for_each_array(const VariablePlaces& places, const Box& box, const ArrayBox& memory,
                    const std::function<void(const FileArray&, const Box&, const ArrayBox&)>& visit) {
  if (!places.chunks) return visit(places.array, box, memory);
  const ChunkPlaces& chunks = *places.chunks;
  Box in_grid = box;
  ArrayBox stored = memory;
  if (chunks.step) {
    in_grid.first.insert(in_grid.first.begin(), *chunks.step);
    in_grid.count.insert(in_grid.count.begin(), 1);
    stored.count.insert(stored.count.begin(), 1);
    stored.strides_bytes.insert(stored.strides_bytes.begin(), 0);
  }
  chunks.grid.for_each_piece(in_grid, stored, [&](const ChunkGrid::Piece& piece) {
    const auto begin = chunks.begin_of(piece.chunk);
    if (!begin) return;
    visit(row_major(places.array.file, *begin, chunks.grid.chunk(), chunks.grid.element_bytes()), piece.in_chunk,
          piece.in_memory);
  });
}

ListPlaces places_of_list(const VariablePlaces& places, const Index& shape, std::span<const std::int64_t> elements) {
  const ChunkPlaces& chunks = *places.chunks;
  const std::int64_t size = chunks.grid.element_bytes();
  ListPlaces list{.array = row_major(places.array.file, 0, {farthest_index}, size)};
  list.numbers.reserve(elements.size());
  Index index(shape.size() + (chunks.step ? 1 : 0));
  if (chunks.step) index[0] = *chunks.step;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::int64_t rest = elements[i];
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
      index[index.size() - shape.size() + d] = rest % shape[d];
    const ChunkGrid::Place place = chunks.grid.place_of(index);
    if (const auto begin = chunks.begin_of(place.chunk)) {
      list.numbers.push_back(*begin / size + place.element);
    } else {
      list.skipped.push_back(i);
    }
  }
  return list;
}

std::vector<Extent> extents_to_write(std::span<const ArrayPart> parts, const DatasetDescription& description,
                                     const std::function<VariablePlaces(std::size_t, std::int64_t)>& places_of,
                                     PartSources& sources, std::vector<std::int64_t>& brought) {
  std::vector<Extent> extents;
  ListOrders orders;
  for (const ArrayPart& part : parts) {
    const CheckedPart checked = checked_part(part, description);
    if (elements_of(part) == 0) continue;
    brought[checked.variable] += elements_of(part);
    const VariablePlaces places = places_of(checked.variable, part.step);
    if (part.elements && places.chunks) {
      const Index shape = description.shape_of(description.variables[checked.variable]);
      const ListPlaces of_list = places_of_list(places, shape, *part.elements);
      if (of_list.numbers.empty()) continue;
      const std::vector<std::byte> accessed = without(part, of_list.skipped);
      ListedElements& list =
          sources.lists.emplace_back(std::make_shared<const ListOrder>(of_list.numbers), places.form, part.variable);
      list.take(accessed.empty() ? part.first : accessed.data(), part.type);
      std::ranges::move(list.extents(of_list.array), std::back_inserter(extents));
      continue;
    }
    if (part.elements) {
      ListedElements& list = sources.lists.emplace_back(orders.of(*part.elements), places.form, part.variable);
      list.take(part.first, part.type);
      std::ranges::move(list.extents(places.array), std::back_inserter(extents));
      continue;
    }
    for_each_array(places, part.box, checked.box, [&](const FileArray& array, const Box& box, const ArrayBox& memory) {
      const std::int64_t size = bytes_of(places.form.type);
      // An encoder gathers isolated elements faster.
      const bool has_rows =
          memory.strides_bytes.empty() || memory.strides_bytes.back() == size || box.count.back() == 1;
      const bool is_as_in_file =
          has_rows && part.type == places.form.type && (places.form.order == native_order || size == 1);
      extents.push_back(subarray(array, box, is_as_in_file ? memory.first : nullptr, memory.strides_bytes));
      if (!is_as_in_file) extents.back().encoder = &sources.encoders.emplace_back(memory, places.form, part.variable);
    });
  }
  return extents;
}

}  // namespace sill
