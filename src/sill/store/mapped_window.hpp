// Reading a little of every item of a file through bounded windows mapped into memory.
#pragma once

#include <string>

#include "sill/store/store.hpp"

namespace sill {

/// Local. Performs `read` on the open file `descriptor`; `path` is for messages. Returns false, with nothing done, when
/// the file cannot be mapped. A file that shrinks, or a disk that fails, while a window is mapped is an io error here,
/// not a crash.
[[nodiscard]] bool read_through_windows(int descriptor, const std::string& path, const StridedRead& read);

}  // namespace sill
