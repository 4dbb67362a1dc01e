// The contents of an HDF5 file, read by one rank and sent to the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sill/formats/hdf5/hdf5_file.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Local. Returns the contents of an HDF5 file. Errors: as hdf5::read_file; io.
[[nodiscard]] hdf5::FileContents read_hdf5(const Resources& resources, const std::string& path);

/// A StoredFile as numbers and bytes.
struct PackedStoredFile {
  std::vector<std::int64_t> numbers = {};
  std::vector<std::byte> bytes = {};
};

/// Local. Packs how the elements of a file are stored.
[[nodiscard]] PackedStoredFile packed(const hdf5::StoredFile& stored);
/// Local. Returns the StoredFile from which `packed` was made, without `left_out`. The numbers begin at number `first`.
[[nodiscard]] hdf5::StoredFile unpacked(const PackedStoredFile& packed, std::size_t first);

}  // namespace sill
