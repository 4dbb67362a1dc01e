// The methods of permuting the items of a file, their estimated costs, and the choice between them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sill {

enum class PermutationMethod {
  gather,   ///< each writer reads the items of its section of the output from their positions in the input
  scatter,  ///< all ranks read the input in order and send each item to the rank that writes it
  buckets,  ///< sorted runs are written to a file of their own, then a gather reads from it
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

/// Number of buffer sizes of a scatter that are estimated: halved 0 to 7 times; see scatter_memory_bytes.
inline constexpr std::size_t scatter_halvings = 8;

/// The facts known before a permutation begins, for all ranks together. The same on all ranks.
struct PermutationFacts {
  std::int64_t items = 0;
  std::int64_t item_bytes = 0;
  int ranks = 1;
  int nodes = 1;                     ///< nodes of the ranks
  int threads = 1;                   ///< per rank
  std::int64_t memory_bytes = 0;     ///< for the buffers of a rank
  std::int64_t cacheable_bytes = 0;  ///< file data that all nodes together can cache
  bool has_keys = false;             ///< true if the keys were read before, so that no method needs to read headers

  // The result of sampling the input; see OrderSample::joined. If the input was not sampled (`looked` is false), the
  // order is treated as scattered.
  bool looked = false;
  std::int64_t items_looked_at = 0;
  double joined_in_chunk = 0;                               ///< for the items that a thread of a gather writes at once
  std::array<double, scatter_halvings> joined_in_window{};  ///< for the items that a scatter holds at once
  double joined_in_cache = 0;                               ///< for the items that stay cached with the output
  double request_s = 0;                                     ///< time of one random read, with the current caches
  double read_s_per_byte = 0;                               ///< time of long reads, with the current caches
};

/// The estimated cost of one method.
struct PermutationEstimate {
  PermutationMethod method = PermutationMethod::gather;
  bool possible = true;
  double seconds_s = 0;
  std::int64_t read_bytes = 0;
  std::int64_t write_bytes = 0;
  std::int64_t memory_bytes = 0;  ///< for the buffers of a rank, maximum
  std::string how;                ///< a description of the method and its steps, or the reason why it is impossible
};

/// A decision with its reason, and the bytes it will move.
struct PermutationChoice {
  PermutationMethod method = PermutationMethod::gather;
  std::string why;
  std::int64_t read_bytes = 0;
  std::int64_t write_bytes = 0;
  std::int64_t memory_bytes = 0;               ///< for the buffers of a rank, maximum
  std::int64_t bridge_bytes = 0;               ///< a scatter reads over gaps of at most this size
  std::vector<std::string> findings;           ///< the facts that were sampled and measured; may be empty
  std::vector<PermutationEstimate> estimates;  ///< for every method; empty if the user chose the method
};

/// Local. Returns the memory for the buffers of a rank in a scatter: if `halvings` is 0, all memory of the rank;
/// otherwise the minimum of this memory and the bytes that the rank writes, halved `halvings` times. Returns 0 if the
/// result would be too small to be useful. Smaller buffers can pay off because memory that is touched for the first
/// time costs more than another pass over a cached file.
[[nodiscard]] std::int64_t scatter_memory_bytes(const PermutationFacts& facts, std::size_t halvings);

/// Local. Returns how many items all writers of a scatter together hold at once in buffers of `memory_bytes` per rank;
/// 0 if the memory is too small.
[[nodiscard]] std::int64_t scatter_window_items(const PermutationFacts& facts, std::int64_t memory_bytes);

/// Local. Return the number of items of the input that can stay cached in addition to the output, and true if these are
/// all items.
[[nodiscard]] std::int64_t cached_items(const PermutationFacts& facts);
[[nodiscard]] inline bool stays_cached(const PermutationFacts& facts) { return facts.items <= cached_items(facts); }

/// Local. Returns the cheapest possible method, with the reason and the costs of every method.
[[nodiscard]] PermutationChoice choose_permutation(const PermutationFacts& facts);

/// Local. Returns `method`, which the user chose, as a choice, with the bytes that the method will move.
[[nodiscard]] PermutationChoice chosen_by_user(const PermutationFacts& facts, PermutationMethod method);

}  // namespace sill
