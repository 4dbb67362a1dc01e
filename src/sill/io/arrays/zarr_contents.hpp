// The metadata files of a Zarr group, read by one rank and sent to the others.
#pragma once

#include <string>
#include <vector>

#include "sill/comm/packer.hpp"
#include "sill/formats/zarr/zarr_array.hpp"

namespace sill {

/// Local. Returns the metadata files of a group or an array of Zarr; none if the folder is neither. Errors: io; input
/// if a file is too long, or its consolidated metadata is damaged.
[[nodiscard]] std::vector<zarr::MetadataFile> read_zarr_metadata(const std::string& path);

/// Local. Packs or unpacks metadata files.
template <class Message, class Files>
void exchange_metadata(Message& message, Files& files) {
  message.size(files);
  for (auto& each : files) message(each.folder, each.name, each.text);
}

}  // namespace sill
