#include "sill/io/arrays/dataset_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/image/image_file.hpp"
#include "sill/io/arrays/hdf5_contents.hpp"

namespace sill {
namespace {

// Returns a description as the header of a netCDF file.
std::vector<std::byte> header_of(const DatasetDescription& description) {
  // Without the places that cdf::layout_of finds: names of variables may have the form of HDF5's, which it refuses.
  const std::vector<std::int64_t> begins(description.variables.size());
  return cdf::header_of(description, {.version = 5, .begins = begins}, 0);
}

template <class Message, class Contents>
void exchange_fields(Message& message, Contents& contents) {
  message(contents.steps, contents.order, contents.files, contents.left_out, contents.places);
  exchange_stored(message, contents.hdf5);
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

void exchange(Packer& to, const DatasetContents& contents) {
  to(contents.container, header_of(contents.description));
  exchange_fields(to, contents);
}

void exchange(Unpacker& from, DatasetContents& contents) {
  from(contents.container);
  contents.description = cdf::description_in(from.next<std::vector<std::byte>>());
  exchange_fields(from, contents);
}

}  // namespace sill
