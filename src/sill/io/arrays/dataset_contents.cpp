#include "sill/io/arrays/dataset_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/image/image_file.hpp"
#include "sill/io/arrays/hdf5_contents.hpp"

namespace sill {
namespace {

// Returns a description as the header of a netCDF file.
std::vector<std::byte> header_of(const DatasetDescription& description) {
  // Places that `parse_header` accepts; names of variables may have the form of HDF5's, which cdf::layout_of refuses.
  constexpr std::int64_t somewhere = std::int64_t{1} << 40U;
  return cdf::header_of(description, {.version = 5, .begins = std::vector(description.variables.size(), somewhere)}, 0);
}

}  // namespace

bool DatasetContents::holds(std::size_t variable, std::int64_t step) const {
  const bool has_steps = description.has_steps(description.variables[variable]);
  return layout || zarr || is_hdf5(container) || places[has_steps ? static_cast<std::size_t>(step + 1) : 0][variable];
}

bool DatasetContents::is_in_chunks(std::size_t variable) const {
  return zarr || (is_hdf5(container) && hdf5.variables[variable].begin < 0);
}

ChunkGrid DatasetContents::chunks_of(std::size_t variable) const {
  if (zarr) return zarr->forms[variable].chunks();
  const Variable& of = description.variables[variable];
  Index shape = description.shape_of(of);
  if (description.has_steps(of)) shape.insert(shape.begin(), std::max<std::int64_t>(steps, 1));
  return {std::move(shape), hdf5.variables[variable].chunk, bytes_of(of.type)};
}

VariablePlaces DatasetContents::places_of(std::size_t variable, std::int64_t step) const {
  const Variable& of = description.variables[variable];
  const bool has_steps = description.has_steps(of);
  if (is_in_chunks(variable)) {
    const ByteOrder stored = zarr ? zarr->forms[variable].order : hdf5.variables[variable].order;
    ChunkGrid grid = chunks_of(variable);
    const std::int64_t bytes = grid.chunk_bytes();
    return {{.file = static_cast<int>(variable), .strides_bytes = {}},
            {of.type, stored},
            ChunkPlaces{std::move(grid), has_steps ? std::optional(step) : std::nullopt,
                        [bytes](std::int64_t chunk) { return std::optional(chunk * bytes); }}};
  }
  if (is_hdf5(container)) {
    const hdf5::StoredVariable& stored = hdf5.variables[variable];
    const std::int64_t begin = stored.begin + (has_steps ? step * description.element_bytes(of) : 0);
    return {row_major(0, begin, description.shape_of(of), bytes_of(of.type)), {of.type, stored.order}};
  }
  const ElementForm form{of.type, order};
  if (layout) return {layout->places(0, description, variable, has_steps ? step : 0), form};
  const std::optional<image::RawContents::Place> place =
      places[has_steps ? static_cast<std::size_t>(step + 1) : 0][variable];
  if (!place) {
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("variable {} is missing in all files of the dataset", of.name),
                 .where = {.file = files.empty() ? std::string() : files.front()},
                 .action = "write the variable, or omit it"});
  }
  const std::optional<std::int64_t> stride = place->stride == 0 ? std::nullopt : std::optional(place->stride);
  return {image::array_at(static_cast<int>(place->file), place->begin, description, variable, stride), form};
}

void pack(Packer& to, const DatasetContents& contents) {
  to.number(static_cast<std::int64_t>(contents.container));
  to.list(header_of(contents.description));
  to.number(contents.steps);
  to.number(static_cast<std::int64_t>(contents.order));
  to.texts(contents.files);
  to.texts(contents.left_out);
  to.number(std::ssize(contents.places));
  for (const auto& of_step : contents.places) {
    to.number(std::ssize(of_step));
    for (const auto& place : of_step) {
      to.number(place ? static_cast<std::int64_t>(place->file) : -1);
      to.number(place ? place->begin : 0);
      to.number(place ? place->stride : 0);
    }
  }
  pack(to, contents.hdf5);
}

DatasetContents unpack_contents(Unpacker& from) {
  DatasetContents contents{.container = static_cast<Container>(from.number())};
  constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
  contents.description = cdf::parse_header(from.list<std::vector<std::byte>>(), no_limit, "")->description;
  contents.steps = from.number();
  contents.order = static_cast<ByteOrder>(from.number());
  contents.files = from.texts();
  contents.left_out = from.texts();
  contents.places.resize(static_cast<std::size_t>(from.number()));
  for (auto& of_step : contents.places) {
    of_step.resize(static_cast<std::size_t>(from.number()));
    for (auto& place : of_step) {
      const std::int64_t file = from.number();
      const std::int64_t begin = from.number();
      const std::int64_t stride = from.number();
      if (file >= 0) place.emplace(static_cast<std::size_t>(file), begin, stride);
    }
  }
  contents.hdf5 = unpack_stored_file(from);
  return contents;
}

}  // namespace sill
