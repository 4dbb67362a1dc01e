// The metadata files of a Zarr group, read by one rank and sent to the others.
#pragma once

#include <string>
#include <vector>

#include "sill/comm/packer.hpp"
#include "sill/formats/zarr/zarr_array.hpp"

namespace sill {

/// Local. Returns the metadata files of a group or an array of Zarr, without those of empty groups in it; none if the
/// folder is neither. Errors: io; input if a file is too long, or its consolidated metadata is damaged.
[[nodiscard]] std::vector<zarr::MetadataFile> read_zarr_metadata(const std::string& path);

/// Local. Returns true for the name of a file or folder that may be a chunk: "c", "0", "0.1.2", "c.0.1.2".
[[nodiscard]] bool is_chunk_name(const std::string& name);

/// Local. Returns what the folder of a dataset has beside the arrays that its metadata describe, for messages: chunks
/// that are not in the grid of their array, chunks without metadata, arrays that consolidated metadata omit.
/// `dataset` is what `metadata` describe. `is_for_append`: at most one, not a chunk of a step that is not complete.
/// Errors: io; input.
[[nodiscard]] std::vector<std::string> surplus_in_folder(const std::string& path,
                                                         const std::vector<zarr::MetadataFile>& metadata,
                                                         const zarr::Dataset& dataset, bool is_for_append);

/// Local. Packs or unpacks metadata files.
template <class Message, class Files>
void exchange_metadata(Message& message, Files& files) {
  message.size(files);
  for (auto& each : files) message(each.folder, each.name, each.text);
}

}  // namespace sill
