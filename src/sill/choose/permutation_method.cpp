#include "sill/choose/permutation_method.hpp"

#include <fmt/format.h>

#include "sill/base/units.hpp"

namespace sill {
namespace {

// A disk delivers runs of this length about as fast as a whole file.
constexpr std::int64_t long_run_bytes = 1 << 20;

PermutationChoice choice(const PermutationFacts& facts, PermutationMethod method, std::string why) {
  const std::int64_t bytes = facts.items * facts.item_bytes;
  const std::int64_t passes = method == PermutationMethod::gather ? 1 : 2;
  return {method, std::move(why), passes * bytes, passes * bytes};
}

}  // namespace

PermutationChoice choose_permutation(const PermutationFacts& facts) {
  const std::int64_t bytes = facts.items * facts.item_bytes;
  if (bytes <= facts.cacheable_bytes) {
    return choice(facts, PermutationMethod::gather,
                  fmt::format("the input's {} fit into the {} that the system can keep cached, so reading it in any "
                              "order costs little",
                              format_bytes(bytes), format_bytes(facts.cacheable_bytes)));
  }
  const std::int64_t mean_run_bytes = facts.runs > 0 ? bytes / facts.runs : bytes;
  if (mean_run_bytes >= long_run_bytes) {
    return choice(facts, PermutationMethod::gather,
                  fmt::format("the input's {} exceed the {} that the system can keep cached, but it is read in runs of "
                              "{} on average",
                              format_bytes(bytes), format_bytes(facts.cacheable_bytes), format_bytes(mean_run_bytes)));
  }
  return choice(facts, PermutationMethod::buckets,
                fmt::format("the input's {} exceed the {} that the system can keep cached, and reading it in output "
                            "order would take {} scattered requests of {} on average",
                            format_bytes(bytes), format_bytes(facts.cacheable_bytes), format_count(facts.runs),
                            format_bytes(mean_run_bytes)));
}

PermutationChoice chosen_by_user(const PermutationFacts& facts, PermutationMethod method) {
  return choice(facts, method, "asked for");
}

}  // namespace sill
