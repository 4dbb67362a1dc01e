// Counts how often each number occurs on all ranks, using 16 bytes per number.
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

/// The distinct numbers of all ranks with their counts. Each rank has some of them, in ascending order, and all numbers
/// of a rank are less than those of the next rank.
class DistinctKeys {
 public:
  /// Number of bits of a number; the highest bit of a word marks a count.
  static constexpr int key_bits = 63;

  /// Collective. Sorts and counts `keys`, each below 2^63. Uses at most two words for each, on this rank and then on
  /// the rank that receives it. Equal numbers are sent as one number and a count, so many equal numbers do not overload
  /// a rank. Errors: io, on all ranks, if memory is insufficient.
  DistinctKeys(Communicator& comm, std::vector<std::uint64_t> keys);
  DistinctKeys(const DistinctKeys&) = delete;
  DistinctKeys& operator=(const DistinctKeys&) = delete;

  /// Local. Calls `visit(key, count)` for the numbers of this rank, in ascending order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    using Next = std::pair<std::uint64_t, std::size_t>;  // a number, and the stream from which it is the next number
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

  // Local. Removes the first number of a stream and returns how often it occurs.
  static std::int64_t take(std::span<const std::uint64_t>& stream) {
    const bool counted = stream.size() > 1 && (stream[1] & is_count) != 0;
    const std::int64_t count = counted ? static_cast<std::int64_t>(stream[1] & ~is_count) : 1;
    stream = stream.subspan(counted ? 2 : 1);
    return count;
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::span<const std::uint64_t>> streams_;  // ascending segments of `words_`
};

}  // namespace sill
