#include "sill/store/posix/fetch.hpp"

#include <fcntl.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sill {
namespace {

// The minimum number of bytes that Linux fetches per call, unless it is configured to read ahead less. It silently
// skips the rest of a longer range.
constexpr std::int64_t fetched_by_one_call_bytes = 128 << 10;
// Of many ranges, about this many are looked up in the page cache.
constexpr std::size_t ranges_looked_up = 8;

// Looking up a page may fetch it, on fast devices before the call returns. Therefore each lookup uses another position:
// a position used before would be found in the cache.
std::int64_t any_place_in(const ByteRange& range) {
  static std::atomic<std::uint64_t> looks{0};
  constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;
  const std::uint64_t spread = (looks.fetch_add(1, std::memory_order_relaxed) * golden_ratio) >> 32;
  return range.offset + static_cast<std::int64_t>(spread % static_cast<std::uint64_t>(range.length));
}

bool is_cached(int descriptor, std::int64_t offset_bytes) {
  std::byte read{};
  const iovec piece{&read, 1};
  return ::preadv2(descriptor, &piece, 1, offset_bytes, RWF_NOWAIT) == 1;
}

bool are_cached(int descriptor, std::span<const ByteRange> ranges) {
  const std::size_t step = std::max<std::size_t>(1, ranges.size() / ranges_looked_up);
  for (std::size_t i = 0; i < ranges.size(); i += step) {
    // The inside first: the pages at both ends may be cached because of neighbouring ranges.
    const ByteRange& range = ranges[i];
    if (range.empty()) continue;
    if (!is_cached(descriptor, any_place_in(range))) return false;
    if (range.length <= fetched_by_one_call_bytes) continue;
    if (!is_cached(descriptor, range.offset) || !is_cached(descriptor, range.end() - 1)) return false;
  }
  return true;
}

}  // namespace

void fetch_unless_cached(int descriptor, std::span<const ByteRange> ranges) {
  if (are_cached(descriptor, ranges)) return;
  for (const ByteRange& bytes : ranges) {
    for (std::int64_t at = bytes.offset; at < bytes.end(); at += fetched_by_one_call_bytes)
      (void)::posix_fadvise(descriptor, at, std::min(fetched_by_one_call_bytes, bytes.end() - at), POSIX_FADV_WILLNEED);
  }
}

}  // namespace sill
