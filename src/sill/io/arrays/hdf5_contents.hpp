// The contents of an HDF5 file, read by one rank and sent to the others.
#pragma once

#include <string>

#include "sill/formats/hdf5/hdf5_file.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Local. Returns the contents of an HDF5 file. Errors: as hdf5::read_file; io.
[[nodiscard]] hdf5::FileContents read_hdf5(const Resources& resources, const std::string& path);

/// Local. Packs and unpacks how the elements of a file are stored, without `left_out`.
template <class Message, class File>
void exchange_stored(Message& message, File& stored) {
  message.size(stored.variables);
  for (auto& each : stored.variables) {
    message(each.order, each.begin, each.chunk, each.filters, each.level, each.chunk_begins, each.chunk_bytes,
            each.skipped, each.values, each.fill);
  }
  if (auto* const layout = message.maybe(stored.layout)) message(layout->steps, layout->count_begin, layout->begins);
}

}  // namespace sill
