// File systems in user space whose pages in the system's cache may be older than their files.
#pragma once

#include <sys/types.h>

namespace sill {

/// Local. Where a program in user space serves the file (FUSE), asks the system to drop the unchanged pages that it
/// keeps of it. Linux does so with each opening unless that program says otherwise: ceph-fuse does, and does not always
/// hear that another node wrote them. `device`: that of the file. Never fails.
void drop_stale_pages(int descriptor, dev_t device);

}  // namespace sill
