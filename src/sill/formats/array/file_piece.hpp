// Bytes, and their offset in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sill {

struct FilePiece {
  std::int64_t offset = 0;
  std::vector<std::byte> bytes = {};
};

}  // namespace sill
