// Names on stable storage: made, changed or removed.
#pragma once

#include <string>

namespace sill {

/// Local. Returns when the names in `folder` are on stable storage as they are now; "" is the current one. Syncing the
/// bytes of its files is another matter. Errors: io.
void sync_folder(const std::string& folder);

}  // namespace sill
