// File systems in user space whose pages in the system's cache may be older than their files.
#pragma once

#include <sys/types.h>

namespace sill {

/// Local. To be called with each file that is opened, `device` being its own. Where a program in user space serves the
/// file (FUSE), the system forgets the pages it has of it, as it does by itself unless that program says otherwise:
/// ceph-fuse does, and does not always hear that another node wrote them. Never fails.
void forget_stale_pages(int descriptor, dev_t device);

}  // namespace sill
