// The contents of an HDF5 file, read by one rank and sent to the others.
#pragma once

#include <string>

#include "sill/comm/packer.hpp"
#include "sill/formats/hdf5/hdf5_file.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Local. Returns the contents of an HDF5 file. Errors: as hdf5::read_file; io.
[[nodiscard]] hdf5::FileContents read_hdf5(const Resources& resources, const std::string& path);

/// Local. Packs and unpacks how the elements of a file are stored, without `left_out`.
void exchange(Packer& to, const hdf5::StoredFile& stored);
void exchange(Unpacker& from, hdf5::StoredFile& stored);

}  // namespace sill
