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

// All forms but those for unusual alignments: AddressSanitizer brings its own of what is left out, and they would not
// belong together.
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return bytes > most_bytes ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(std::size_t bytes) {
  if (void* const memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t& tag) noexcept { return operator new(bytes, tag); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
