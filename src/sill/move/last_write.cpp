#include "sill/move/last_write.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace sill {

bool do_cut_files(std::span<const WriterWindows> writers, std::span<const FileDomain> domains) {
  const auto of_one_file = [](const FileDomain& a, const FileDomain& b) { return a.file == b.file; };
  return std::adjacent_find(domains.begin(), domains.end(), of_one_file) != domains.end() ||
         std::any_of(writers.begin(), writers.end(), [](const WriterWindows& each) { return each.cuts_domains(); });
}

// Distances of all ranks agree if the least is the greatest; an empty plan is as far away as anyone likes.
std::optional<std::int64_t> LastWrite::distance_to(Communicator& comm, const AccessPlan& mine, bool direct,
                                                   std::int64_t align_bytes) const {
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  std::array<std::int64_t, 2> found{never, never};
  if (is_known && is_direct == direct) {
    const std::optional<std::int64_t> distance = mine.distance_from(plan);
    const bool keeps_alignment = !course.cuts_files || distance.value_or(0) % align_bytes == 0;
    if (mine.empty() && distance) {
      found = {any, any};
    } else if (distance && keeps_alignment) {
      found = {*distance, -*distance};
    }
  }
  comm.all_reduce(found, Reduction::min);
  if (found[0] == any) return 0;
  if (found[0] == never || found[0] != -found[1]) return std::nullopt;
  return found[0];
}

}  // namespace sill
