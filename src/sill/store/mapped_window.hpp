// Reading a little of every item of a file through bounded windows mapped into memory.
#pragma once

#include <string>

#include "sill/store/store.hpp"

namespace sill {

/// Local. Performs `read` on the open file `descriptor`; `path` is for messages. Returns false, with nothing done, when
/// the file cannot be mapped. A file that shrinks, or a disk that fails, while a window is mapped is an io error here,
/// not a crash.
[[nodiscard]] bool read_through_windows(int descriptor, const std::string& path, const StridedRead& read);

/// Where a linked read has got to.
struct LinkedProgress {
  std::int64_t items = 0;      ///< read so far
  std::int64_t next_byte = 0;  ///< of the file, where the next item begins
  bool mapped = true;          ///< false if the file cannot be mapped
};

/// Local. Goes on with `read` from `done` on through one window, to its end or past an item that is longer than
/// `widest_bytes`. Errors: as read_through_windows.
[[nodiscard]] LinkedProgress follow_through_window(int descriptor, const std::string& path, const LinkedRead& read,
                                                   LinkedProgress done, std::int64_t widest_bytes);

}  // namespace sill
