// Counting how often each number occurs among those of all ranks, in 16 bytes a number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "sill/comm/communicator.hpp"

namespace sill {

/// The distinct numbers of all ranks with their counts: each rank has some, ascending, and all of a rank are less than
/// those of the next.
class DistinctKeys {
 public:
  /// Bits of a number; the highest of a word says that it is a count.
  static constexpr int key_bits = 63;

  /// Collective. Sorts and counts `keys`, each below 2^63. Holds two words for each at most, here and then on the rank
  /// that receives it: equal numbers travel as one number and a count, so many of them burden no rank. Errors: io, on
  /// all ranks, without memory.
  DistinctKeys(Communicator& comm, std::vector<std::uint64_t> keys);
  DistinctKeys(const DistinctKeys&) = delete;
  DistinctKeys& operator=(const DistinctKeys&) = delete;

  /// Local. Calls `visit(key, count)` for the numbers of this rank, ascending.
  template <class Visit>
  void for_each(Visit&& visit) const {
    using Next = std::pair<std::uint64_t, std::size_t>;  // a number, and the stream that it is the next of
    std::vector<std::span<const std::uint64_t>> streams = streams_;
    std::priority_queue<Next, std::vector<Next>, std::greater<>> nexts;
    for (std::size_t s = 0; s < streams.size(); ++s) nexts.emplace(streams[s].front(), s);
    while (!nexts.empty()) {
      const std::uint64_t key = nexts.top().first;
      std::int64_t count = 0;
      while (!nexts.empty() && nexts.top().first == key) {
        const std::size_t s = nexts.top().second;
        nexts.pop();
        count += take(streams[s]);
        if (!streams[s].empty()) nexts.emplace(streams[s].front(), s);
      }
      visit(key, count);
    }
  }

 private:
  static constexpr std::uint64_t is_count = std::uint64_t{1} << key_bits;

  // Removes the first number of a stream and returns how often it occurs.
  static std::int64_t take(std::span<const std::uint64_t>& stream) {
    const bool counted = stream.size() > 1 && (stream[1] & is_count) != 0;
    const std::int64_t count = counted ? static_cast<std::int64_t>(stream[1] & ~is_count) : 1;
    stream = stream.subspan(counted ? 2 : 1);
    return count;
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::span<const std::uint64_t>> streams_;  // ascending parts of `words_`
};

}  // namespace sill
