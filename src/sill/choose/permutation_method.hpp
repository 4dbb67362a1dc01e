// Which way to permute the items of a file, what each would cost, and why one is taken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sill {

enum class PermutationMethod {
  gather,   ///< each writer reads the items of its part of the output where they lie
  scatter,  ///< all ranks read the input in order and send each item to the rank that writes it
  buckets,  ///< sorted runs to a file of their own, then a gather from them
};

inline constexpr std::array all_permutation_methods{PermutationMethod::gather, PermutationMethod::scatter,
                                                    PermutationMethod::buckets};

[[nodiscard]] constexpr const char* name_of(PermutationMethod method) {
  switch (method) {
    case PermutationMethod::gather: return "gather";
    case PermutationMethod::scatter: return "scatter";
    case PermutationMethod::buckets: return "buckets";
  }
  return "";
}

/// How many sizes of the buffers of a scatter are estimated: halved 0 to 7 times; see scatter_memory_bytes.
inline constexpr std::size_t scatter_halvings = 8;

/// What is known before a permutation begins, of all ranks together. The same on all ranks.
struct PermutationFacts {
  std::int64_t items = 0;
  std::int64_t item_bytes = 0;
  int ranks = 1;
  int nodes = 1;                     ///< that they run on
  int threads = 1;                   ///< of a rank
  std::int64_t memory_bytes = 0;     ///< for the buffers of a rank
  std::int64_t cacheable_bytes = 0;  ///< file data that all nodes together can keep in memory
  bool has_keys = false;             ///< they were read before: no method reads headers for them

  // The result of a look at the input; see OrderSample::joined. Without it, the order counts as scattered.
  bool looked = false;
  std::int64_t items_looked_at = 0;
  double joined_in_chunk = 0;                               ///< of what a thread of a gather writes at once
  std::array<double, scatter_halvings> joined_in_window{};  ///< of what the writers of a scatter hold at once
  double joined_in_cache = 0;                               ///< of what stays cached beside the output
  double request_s = 0;                                     ///< a read of one item somewhere, as the caches are
  double read_s_per_byte = 0;                               ///< long reads, as the caches are
};

/// What one way would cost.
struct PermutationEstimate {
  PermutationMethod method = PermutationMethod::gather;
  bool possible = true;
  double seconds_s = 0;
  std::int64_t read_bytes = 0;
  std::int64_t write_bytes = 0;
  std::int64_t memory_bytes = 0;  ///< for the buffers of a rank, at most
  std::string how;                ///< what it does in how many steps; why it is impossible
};

/// A decision with its reason, and what it will move.
struct PermutationChoice {
  PermutationMethod method = PermutationMethod::gather;
  std::string why;
  std::int64_t read_bytes = 0;
  std::int64_t write_bytes = 0;
  std::int64_t memory_bytes = 0;               ///< for the buffers of a rank, at most
  std::int64_t bridge_bytes = 0;               ///< a scatter reads over gaps of at most this
  std::vector<std::string> findings;           ///< what was looked at and measured; none if nothing was
  std::vector<PermutationEstimate> estimates;  ///< of every method; none if the user chose
};

/// Local. What the buffers of a rank may take in a scatter: without halvings all of its memory, else what the output
/// takes, or its memory if that is less, halved so often; 0 where that would save nothing. Memory that is touched for
/// the first time costs more than another pass over a cached file.
[[nodiscard]] std::int64_t scatter_memory_bytes(const PermutationFacts& facts, std::size_t halvings);

/// Local. How many items a scatter's writers together hold at once in buffers of `memory_bytes` a rank; 0 if that is
/// too small.
[[nodiscard]] std::int64_t scatter_window_items(const PermutationFacts& facts, std::int64_t memory_bytes);

/// Local. How many items of the input stay cached beside the output, and whether that is all of them.
[[nodiscard]] std::int64_t cached_items(const PermutationFacts& facts);
[[nodiscard]] inline bool stays_cached(const PermutationFacts& facts) { return facts.items <= cached_items(facts); }

/// Local. What every method costs, the cheapest that is possible, and why.
[[nodiscard]] PermutationChoice choose_permutation(const PermutationFacts& facts);

/// Local. The choice made by the user, with what it will move.
[[nodiscard]] PermutationChoice chosen_by_user(const PermutationFacts& facts, PermutationMethod method);

}  // namespace sill
