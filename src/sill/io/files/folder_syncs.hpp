// Syncs of folders, counted in a meter. Stores count only the syncs of files.
#pragma once

#include <string>

#include "sill/store/meter_store.hpp"
#include "sill/store/part/part_file.hpp"

namespace sill {

/// Local. Calls `part.commit(durable)`. With `durable`, counts it as one sync in `meter`, which may be null; its time
/// includes the renaming. Errors: io.
void commit(PartFile& part, bool durable, Meter* meter);

/// Local. Calls `sync_folder(folder)` (store/posix/folder.hpp) and counts one sync in `meter`, which may be null.
/// Errors: io.
void sync_folder(const std::string& folder, Meter* meter);

}  // namespace sill
