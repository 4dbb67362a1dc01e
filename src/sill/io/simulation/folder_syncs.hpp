// Syncs of folders, counted: no store sees them, which count the others.
#pragma once

#include <string>

#include "sill/store/meter_store.hpp"
#include "sill/store/part/part_file.hpp"

namespace sill {

/// Local. `part.commit(durable)`. With `durable` it is one sync in `meter`, which may be null, the renaming in its
/// time. Errors: io.
void commit(PartFile& part, bool durable, Meter* meter);

/// Local. `sync_folder(folder)` (store/posix/folder.hpp), one sync in `meter`, which may be null. Errors: io.
void sync_folder(const std::string& folder, Meter* meter);

}  // namespace sill
