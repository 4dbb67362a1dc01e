// The chunks of HDF5 and Zarr.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// Local. Returns true if a variable of a dataset is read through a ChunkSource.
[[nodiscard]] bool is_in_chunks(const DatasetContents& contents, std::size_t variable);

/// Local. Returns the grid of the chunks of a variable. Precondition: is_in_chunks.
[[nodiscard]] ChunkGrid grid_of(const DatasetContents& contents, std::size_t variable);

/// Local. Returns the store that reads a variable by its chunks; it keeps at most `cache_bytes` of them. `contents` and
/// `resources` outlive it. Precondition: is_in_chunks.
[[nodiscard]] std::unique_ptr<Store> open_chunks(const Resources& resources, const DatasetContents& contents,
                                                 std::size_t variable, std::int64_t cache_bytes);

}  // namespace sill
