// Files of arrays that other programs wrote: described, and elements of every variable read.
#pragma once

#include <cstddef>
#include <span>

namespace sill::fuzz {

/// Local. Reads a complete file of HDF5 or netCDF-4; its first bytes are replaced by the signature.
void feed_hdf5(std::span<const std::byte> input);

/// Local. Reads the metadata of a group or an array of Zarr, up to a zero byte; all later bytes are each of its files
/// of chunks or shards.
void feed_zarr(std::span<const std::byte> input);

}  // namespace sill::fuzz
