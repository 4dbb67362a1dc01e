// Large pages are asked for within memory, never beside it.
#include "sill/base/large_pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace sill {
namespace {

constexpr std::size_t page_bytes = 2 << 20;

// What lies in the mappings that were asked for large pages ("hg" among their flags), of those within [begin, end).
std::size_t advised_bytes(std::uintptr_t begin, std::uintptr_t end) {
  std::ifstream maps("/proc/self/smaps");
  std::size_t bytes = 0;
  std::uintptr_t first = 0;
  std::uintptr_t last = 0;
  for (std::string line; std::getline(maps, line);) {
    char dash = 0;
    std::istringstream words(line);
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    if (words >> std::hex >> from >> dash >> to && dash == '-') {
      first = from;
      last = to;
    }
    if (line.starts_with("VmFlags:") && line.find(" hg") != std::string::npos && first >= begin && last <= end) {
      bytes += last - first;
    }
  }
  return bytes;
}

TEST(LargePages, AreAskedForWithinTheMemory) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) GTEST_SKIP() << "this system has no large pages";
  constexpr std::size_t all_bytes = 16 * page_bytes;
  void* const mapped = ::mmap(nullptr, all_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
  const std::uintptr_t aligned = (begin + page_bytes - 1) / page_bytes * page_bytes;
  auto* const memory = reinterpret_cast<std::byte*>(aligned);
  prefer_large_pages({});
  prefer_large_pages({memory + 1, page_bytes});  // no whole page
  EXPECT_EQ(advised_bytes(begin, begin + all_bytes), 0U);
  prefer_large_pages({memory + 1, 4 * page_bytes});  // three
  const std::size_t advised = advised_bytes(begin, begin + all_bytes);
  std::memset(mapped, 0x5A, all_bytes);
  ::munmap(mapped, all_bytes);
  EXPECT_EQ(advised, 3 * page_bytes);
}

}  // namespace
}  // namespace sill
