// Reading a little of every item of a file through bounded windows mapped into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sill/store/store.hpp"

namespace sill {

/// Local. Performs `read` on the open file `descriptor`; `path` is for messages. Returns false, with nothing done, when
/// the file cannot be mapped. A file that shrinks, or a disk that fails, while a window is mapped is an io error here,
/// not a crash.
[[nodiscard]] bool read_through_windows(int descriptor, const std::string& path, const StridedRead& read);

/// A linked read and where it has got to.
struct LinkedLane {
  LinkedRead* read = nullptr;  ///< its `items` are those read so far
  std::int64_t next_byte = 0;  ///< of the file, where the next item begins

  /// Local. Whether there is another item to be read.
  [[nodiscard]] bool goes_on() const {
    return read->items < read->max_items && next_byte <= read->end_byte - read->length_bytes;
  }
};

/// The most lanes that are followed at once.
inline constexpr std::size_t max_linked_lanes = 8;

/// Local. Goes on with all lanes, each through one window to its end or past an item that is longer than
/// `max_step_bytes`. Item by item the lanes take turns, so that while one waits for memory the others go on. Returns
/// false, with nothing done, when the file cannot be mapped. Errors: as read_through_windows. Precondition: at most
/// `max_linked_lanes`, all of which go on.
[[nodiscard]] bool follow_through_windows(int descriptor, const std::string& path, std::span<LinkedLane* const> lanes,
                                          std::int64_t max_step_bytes);

}  // namespace sill
