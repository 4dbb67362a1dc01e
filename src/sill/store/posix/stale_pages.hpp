// Drops cached pages that may be older than the file, on file systems in user space.
#pragma once

#include <sys/types.h>

namespace sill {

/// Local. If a program in user space serves the file (FUSE), asks the system to drop the cached pages of the file that
/// were not changed. Linux drops them each time the file is opened, unless the program disables this. ceph-fuse
/// disables this, although it is not always notified when another node writes the file. `device`: the device of the
/// file. Never fails.
void drop_stale_pages(int descriptor, dev_t device);

}  // namespace sill
