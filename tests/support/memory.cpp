#include "support/memory.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
std::atomic<std::size_t> max_bytes_at_once{unlimited};
std::atomic<std::int64_t> until_refusal{0};  // 0 or less: none comes
std::atomic<std::int64_t> held_bytes{0};
std::atomic<std::int64_t> max_held_bytes{0};

void* taken(std::size_t bytes) noexcept {
  const bool is_refused = until_refusal > 0 && --until_refusal == 0;
  void* const memory = is_refused || bytes > max_bytes_at_once ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) return nullptr;
  const std::int64_t now = held_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  std::int64_t max = max_held_bytes;
  while (now > max && !max_held_bytes.compare_exchange_weak(max, now)) {
  }
  return memory;
}

void* taken_or_thrown(std::size_t bytes) {
  if (void* const memory = taken(bytes)) return memory;
  throw std::bad_alloc();
}

void given_back(void* memory) noexcept {
  if (memory != nullptr) held_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

namespace sill::test {

LimitedMemory::LimitedMemory(std::size_t max_bytes) { max_bytes_at_once = max_bytes; }
LimitedMemory::~LimitedMemory() { max_bytes_at_once = unlimited; }

RefusedMemory::RefusedMemory(std::int64_t nth) { until_refusal = nth; }
RefusedMemory::~RefusedMemory() { until_refusal = 0; }
bool RefusedMemory::has_struck() const { return until_refusal <= 0; }

HeldMemory::HeldMemory() : before_bytes_(held_bytes) { max_held_bytes = before_bytes_; }
std::int64_t HeldMemory::max_bytes() const { return max_held_bytes - before_bytes_; }

std::int64_t HeldMemory::bytes() const { return held_bytes - before_bytes_; }

}  // namespace sill::test

// All forms but those for unusual alignments: AddressSanitizer brings its own of what is left out, and they would not
// belong together.
void* operator new(std::size_t bytes) { return taken_or_thrown(bytes); }
void* operator new[](std::size_t bytes) { return taken_or_thrown(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept { return taken(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept { return taken(bytes); }
void operator delete(void* memory) noexcept { given_back(memory); }
void operator delete[](void* memory) noexcept { given_back(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { given_back(memory); }
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept { given_back(memory); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { given_back(memory); }
void operator delete[](void* memory, const std::nothrow_t& /*tag*/) noexcept { given_back(memory); }
