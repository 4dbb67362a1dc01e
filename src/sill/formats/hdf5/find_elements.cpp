#ifdef SILL_HDF5_LIBRARY
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sill/formats/array/chunk_grid.hpp"
#include "sill/formats/hdf5/found_file.hpp"

namespace sill::hdf5 {
namespace {

constexpr std::int64_t max_compact_bytes = 1 << 16;
constexpr std::int64_t max_chunks = std::int64_t{1} << 26U;
// The search for few chunks among many would take minutes; damaged metadata may state any shape.
constexpr std::int64_t max_searched_chunks = std::int64_t{1} << 22U;
constexpr std::int64_t max_per_stored_chunk = 1024;

// Returns the filters of a dataset; leaves the dataset out if Sill cannot reverse one of them.
std::vector<Filter> filters_of(const Id& properties, FoundDataset& found) {
  constexpr H5Z_filter_t blosc = 32001;  // registered with The HDF Group
  std::vector<Filter> filters;
  const int count = require(library().H5Pget_nfilters(properties.get()), "H5Pget_nfilters");
  for (unsigned f = 0; f < static_cast<unsigned>(count); ++f) {
    char name[64] = "";
    unsigned flags = 0;
    unsigned configuration = 0;
    std::array<unsigned, 8> values{};
    std::size_t value_count = values.size();
    const auto filter = library().H5Pget_filter2(properties.get(), f, &flags, &value_count, values.data(), sizeof name,
                                                 name, &configuration);
    if ((filter == H5Z_FILTER_DEFLATE || filter == zstd_filter) && value_count > 0)
      found.stored.level = static_cast<int>(values[0]);
    if (filter == H5Z_FILTER_DEFLATE) {
      filters.push_back({.kind = Filter::Kind::zlib});
    } else if (filter == zstd_filter) {
      filters.push_back({.kind = Filter::Kind::zstd});
    } else if (filter == blosc) {
      filters.push_back({.kind = Filter::Kind::blosc});
    } else if (filter == H5Z_FILTER_FLETCHER32) {
      filters.push_back({.kind = Filter::Kind::fletcher32});
    } else if (filter == H5Z_FILTER_SHUFFLE && value_count > 0 && values[0] > 0) {
      filters.push_back({.kind = Filter::Kind::shuffle, .element_bytes = values[0]});
    } else {
      found.left_out = fmt::format(
          "its chunks have the filter {} ({}), which is not supported; h5repack -f GZIP=1 makes a copy without it",
          static_cast<int>(filter), name[0] != '\0' ? name : "without a name");
    }
  }
  if (std::ranges::count_if(filters, compresses, &Filter::kind) > 1) found.left_out = "it is compressed more than once";
  return filters;
}

// Finds all stored chunks. The library does not state the place of a chunk in time that does not grow with their
// number, but it reads a chunk from a place, which the file driver notes.
void find_stored_chunks(DriverFile& file, const Id& dataset, FoundDataset& found) {
  const Library& h5 = library();
  StoredVariable& stored = found.stored;
  const std::optional<std::int64_t> chunks = chunks_of(found);
  if (!chunks) return;
  const Id space(h5.H5Dget_space(dataset.get()), "H5Dget_space");
  hsize_t not_found = 0;
  require(h5.H5Dget_num_chunks(dataset.get(), space.get(), &not_found), "H5Dget_num_chunks");
  if (not_found == 0) return;
  if (*chunks > max_searched_chunks && std::cmp_greater(*chunks / max_per_stored_chunk, not_found)) {
    found.left_out = fmt::format(
        "only {} of its {} chunks are stored, and the search for them would take too long; make a copy with larger "
        "chunks (h5repack -l NAME:CHUNK=...), or copy the part that has values",
        not_found, *chunks);
    return;
  }
  stored.chunk_begins.assign(static_cast<std::size_t>(*chunks), -1);
  stored.chunk_bytes.resize(stored.chunk_begins.size());
  stored.skipped.resize(stored.chunk_begins.size());
  std::vector<hsize_t> first(found.shape.size());
  for (std::size_t c = 0; c < stored.chunk_begins.size() && not_found > 0; ++c) {
    std::uint32_t skipped = 0;
    ByteRange place;
    std::byte not_read{};
    file.located = &place;
    const herr_t result = h5.H5Dread_chunk(dataset.get(), H5P_DEFAULT, first.data(), &skipped, &not_read);
    file.located = nullptr;
    if (result >= 0) {
      stored.chunk_begins[c] = place.offset;
      stored.chunk_bytes[c] = place.length;
      stored.skipped[c] = skipped;
      --not_found;
    } else if (reason_of_failure() != "chunk address isn't defined") {
      fail("H5Dread_chunk");
    }
    for (std::size_t d = first.size(); d-- > 0;) {
      first[d] += static_cast<hsize_t>(stored.chunk[d]);
      if (static_cast<std::int64_t>(first[d]) < found.shape[d]) break;
      first[d] = 0;
    }
  }
  if (not_found > 0)
    found.left_out = fmt::format("the index of its chunks is damaged: {} chunks are outside the array", not_found);
}

void find_chunks(DriverFile& file, const Id& dataset, const Id& properties, FoundDataset& found) {
  StoredVariable& stored = found.stored;
  stored.filters = filters_of(properties, found);
  if (!found.left_out.empty()) return;
  std::vector<hsize_t> chunk(found.shape.size());
  require(library().H5Pget_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()), "H5Pget_chunk");
  stored.chunk.assign(chunk.begin(), chunk.end());
  find_stored_chunks(file, dataset, found);
  if (found.string_bytes > 0) stored.chunk.push_back(found.string_bytes);
  if (whole(stored.chunk).items() > max_stored_chunk_bytes / bytes_of(found.form.type))
    found.left_out = "its chunks are too large";
  if (stored.filters.empty()) stored.chunk_bytes.clear();
  if (std::ranges::all_of(stored.skipped, [](std::int64_t each) { return each == 0; })) stored.skipped.clear();
}

}  // namespace

void find_elements(DriverFile& file, const Id& dataset, hid_t type, FoundDataset& found) {
  const Library& h5 = library();
  const std::size_t size = h5.H5Tget_size(type);
  StoredVariable& stored = found.stored;
  const Id properties(h5.H5Dget_create_plist(dataset.get()), "H5Dget_create_plist");
  stored.fill.resize(size);
  (void)h5.H5Pget_fill_value(properties.get(), type, stored.fill.data());  // zeros if it is undefined
  Index shape = found.shape;  // without elements only along a dimension that grows
  for (std::int64_t& length : shape) length = std::max<std::int64_t>(length, 1);
  if (found.string_bytes > 0) shape.push_back(found.string_bytes);
  const std::int64_t element_bytes = bytes_of(found.form.type);
  switch (h5.H5Pget_layout(properties.get())) {
    case H5D_COMPACT:
      if (whole(found.shape).items() > max_compact_bytes / static_cast<std::int64_t>(size)) {
        found.left_out = "it is longer than a compact dataset can be";
        return;
      }
      stored.values.resize(static_cast<std::size_t>(whole(found.shape).items()) * size);
      require(h5.H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored.values.data()), "H5Dread");
      stored.chunk = shape;
      return;
    case H5D_CONTIGUOUS:
      if (h5.H5Pget_external_count(properties.get()) > 0) found.left_out = "its elements are in other files";
      // If the file has a user block, the library returns an offset even for datasets without bytes.
      if (h5.H5Dget_storage_size(dataset.get()) > 0) {
        stored.begin = static_cast<std::int64_t>(h5.H5Dget_offset(dataset.get()));
        if (stored.begin < 0 && found.left_out.empty()) found.left_out = "its place in the file is damaged";
      } else {
        stored.chunk = default_chunk(shape, element_bytes);  // of fill values
      }
      return;
    case H5D_CHUNKED: find_chunks(file, dataset, properties, found); return;
    default: found.left_out = "it is a virtual dataset"; return;
  }
}

std::optional<std::int64_t> chunks_of(FoundDataset& found) {
  std::int64_t chunks = 1;
  for (std::size_t d = 0; d < found.shape.size(); ++d) {
    const std::int64_t chunk = found.stored.chunk[d];
    const std::int64_t along = found.shape[d] / chunk + (found.shape[d] % chunk > 0 ? 1 : 0);
    if (__builtin_mul_overflow(chunks, along, &chunks) || chunks > max_chunks) {
      found.left_out = fmt::format("it has more than {} chunks", max_chunks);
      return std::nullopt;
    }
  }
  return chunks;
}

}  // namespace sill::hdf5
#endif
