#include "sill/base/large_pages.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace sill {

void prefer_large_pages(std::span<const std::byte> memory) noexcept {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page_bytes = 2 << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t first = (begin + page_bytes - 1) / page_bytes * page_bytes;
  const std::uintptr_t end = (begin + memory.size()) / page_bytes * page_bytes;
  if (first < end) (void)::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#else
  (void)memory;
#endif
}

}  // namespace sill
