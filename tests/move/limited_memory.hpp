// Memory that runs out when told to: for tests of what happens then.
#pragma once

#include <cstddef>

namespace sill::test {

/// While it lives, `new` of more than some bytes at once throws std::bad_alloc, in all threads of this process.
class LimitedMemory {
 public:
  explicit LimitedMemory(std::size_t most_bytes_at_once);
  LimitedMemory(const LimitedMemory&) = delete;
  LimitedMemory& operator=(const LimitedMemory&) = delete;
  ~LimitedMemory();
};

}  // namespace sill::test
