// The chunks of HDF5 and Zarr.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sill/io/arrays/chunk_source.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// Local. Returns what finds the chunks of a variable; it keeps at most `max_open` files of Zarr open. `file` is the
/// file of HDF5 of all variables, which is opened if it is null. `contents` and `resources` outlive the result.
/// Precondition: contents.is_in_chunks(variable).
[[nodiscard]] std::shared_ptr<ChunkFinder> find_chunks(const Resources& resources, const DatasetContents& contents,
                                                       std::size_t variable, std::size_t max_open,
                                                       std::shared_ptr<Store>& file);

/// Local. Returns the store that reads a variable by its chunks, which `finder` finds; it keeps at most `cache_bytes`
/// of them. `contents` and `resources` outlive it. Precondition: contents.is_in_chunks(variable).
[[nodiscard]] std::unique_ptr<Store> open_chunks(const Resources& resources, const DatasetContents& contents,
                                                 std::size_t variable, std::shared_ptr<ChunkFinder> finder,
                                                 std::int64_t cache_bytes);

}  // namespace sill
