#include "sill/choose/permutation_method.hpp"

#include <fmt/format.h>

#include "sill/base/units.hpp"

namespace sill {
namespace {

PermutationChoice choice(const PermutationFacts& facts, PermutationMethod method, std::string why) {
  const std::int64_t bytes = facts.items * facts.item_bytes;
  const std::int64_t passes = method == PermutationMethod::gather ? 1 : 2;
  return {method, std::move(why), passes * bytes, passes * bytes};
}

}  // namespace

PermutationChoice choose_permutation(const PermutationFacts& facts) {
  const std::int64_t bytes = facts.items * facts.item_bytes;
  // The output being written takes its share of the cache.
  const std::int64_t room = facts.cacheable_bytes / 3 * 2;
  if (bytes <= room) {
    return choice(facts, PermutationMethod::gather,
                  fmt::format("the input's {} fit into two thirds ({}) of what the system can keep cached, so reading "
                              "it in any order costs little",
                              format_bytes(bytes), format_bytes(room)));
  }
  return choice(facts, PermutationMethod::buckets,
                fmt::format("the input's {} exceed two thirds ({}) of what the system can keep cached, so scattered "
                            "reads would go to the disk again and again",
                            format_bytes(bytes), format_bytes(room)));
}

PermutationChoice chosen_by_user(const PermutationFacts& facts, PermutationMethod method) {
  return choice(facts, method, "asked for");
}

}  // namespace sill
