// Which way to permute the items of a file, and why.
#pragma once

#include <cstdint>
#include <string>

namespace sill {

enum class PermutationMethod { gather, buckets };

[[nodiscard]] constexpr const char* name_of(PermutationMethod method) {
  return method == PermutationMethod::gather ? "gather" : "buckets";
}

/// What is known before a permutation begins, of all ranks together.
struct PermutationFacts {
  std::int64_t items = 0;
  std::int64_t item_bytes = 0;
  std::int64_t cacheable_bytes = 0;  ///< file data that all nodes together can keep in memory
};

/// A decision with its reason, and what it will move.
struct PermutationChoice {
  PermutationMethod method = PermutationMethod::gather;
  std::string why;
  std::int64_t read_bytes = 0;
  std::int64_t write_bytes = 0;
};

/// Local. Gather while the input can stay cached beside the output; else buckets, which read and write everything twice
/// but in long runs.
[[nodiscard]] PermutationChoice choose_permutation(const PermutationFacts& facts);

/// Local. The choice made by the user, with what it will move.
[[nodiscard]] PermutationChoice chosen_by_user(const PermutationFacts& facts, PermutationMethod method);

}  // namespace sill
