#include "move/limited_memory.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
std::atomic<std::size_t> most_bytes{unlimited};

}  // namespace

namespace sill::test {

LimitedMemory::LimitedMemory(std::size_t most_bytes_at_once) { most_bytes = most_bytes_at_once; }
LimitedMemory::~LimitedMemory() { most_bytes = unlimited; }

}  // namespace sill::test

// The other forms call these.
void* operator new(std::size_t bytes) {
  if (bytes > most_bytes) throw std::bad_alloc();
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
