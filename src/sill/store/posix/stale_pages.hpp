// Drops cached pages that may be older than the file, on file systems in user space.
#pragma once

#include <sys/types.h>

namespace sill {

/// Local. If a program in user space serves the file (FUSE), asks the system to drop its unchanged cached pages of the
/// file. Linux does so at each opening, unless that program disables it. ceph-fuse disables it, although it is not
/// always notified when another node writes the file. `device`: the device of the file. Never fails.
void drop_stale_pages(int descriptor, dev_t device);

}  // namespace sill
