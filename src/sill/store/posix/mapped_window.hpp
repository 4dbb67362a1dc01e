// Reads a few bytes of every item of a file through bounded windows mapped into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sill/store/store.hpp"

namespace sill {

/// Local. Performs `read` on the open file `descriptor`; `path` is for messages. Returns false, and reads nothing, if
/// the file cannot be mapped. If the file shrinks or the disk fails while a window is mapped, throws io instead of
/// crashing.
[[nodiscard]] bool read_through_windows(int descriptor, const std::string& path, const StridedRead& read);

/// A linked read in progress. Lanes are linked reads of several segments of a file, which one thread advances in turns.
struct LinkedLane {
  LinkedRead* read = nullptr;  ///< its `items` is the number of items read so far
  std::int64_t next_byte = 0;  ///< byte of the file at which the next item begins

  /// Local. Returns true if there is another item to read.
  [[nodiscard]] bool goes_on() const {
    return read->items < read->max_items && next_byte <= read->end_byte - read->length_bytes;
  }
};

/// The maximum number of lanes that are followed at once.
inline constexpr std::size_t max_linked_lanes = 8;

/// Local. Advances all lanes, each within one mapped window, to the end of the window or past an item longer than
/// `max_step_bytes`. The lanes take turns item by item, so that the other lanes progress while one lane waits for its
/// bytes. Returns false, and reads nothing, if the file cannot be mapped. Errors: as read_through_windows.
/// Precondition: at most `max_linked_lanes` lanes, each with another item to read.
[[nodiscard]] bool follow_through_windows(int descriptor, const std::string& path, std::span<LinkedLane* const> lanes,
                                          std::int64_t max_step_bytes);

}  // namespace sill
