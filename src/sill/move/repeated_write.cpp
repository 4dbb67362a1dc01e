#include "sill/move/repeated_write.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace sill {

bool do_cut_files(std::span<const WriterWindows> writers, std::span<const FileDomain> domains) {
  const auto of_one_file = [](const FileDomain& a, const FileDomain& b) { return a.file == b.file; };
  return std::adjacent_find(domains.begin(), domains.end(), of_one_file) != domains.end() ||
         std::any_of(writers.begin(), writers.end(), [](const WriterWindows& each) { return each.cuts_domains(); });
}

std::optional<std::int64_t> LastWrite::distance_to(const AccessPlan& mine, bool direct,
                                                   std::int64_t align_bytes) const {
  if (!is_known || is_direct != direct) return std::nullopt;
  const std::optional<std::int64_t> distance = mine.distance_from(plan);
  if (distance && course.cuts_files && *distance % align_bytes != 0) return std::nullopt;
  return distance;
}

// Distances of all ranks agree if the least is the greatest; an empty plan is as far away as anyone likes.
std::optional<std::int64_t> recall(Communicator& comm, LastWrites& known, const AccessPlan& mine, bool direct,
                                   std::int64_t align_bytes) {
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  std::array<std::int64_t, 2 * std::tuple_size_v<LastWrites>> found;
  found.fill(never);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const std::optional<std::int64_t> distance = known[i].distance_to(mine, direct, align_bytes);
    if (!distance) continue;
    found[2 * i] = mine.empty() ? any : *distance;
    found[2 * i + 1] = mine.empty() ? any : -*distance;
  }
  comm.all_reduce(found, Reduction::min);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const bool is_same = found[2 * i] != never && (found[2 * i] == any || found[2 * i] == -found[2 * i + 1]);
    if (!is_same) continue;
    std::rotate(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(i),
                known.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return found[2 * i] == any ? 0 : found[2 * i];
  }
  std::rotate(known.begin(), known.end() - 1, known.end());
  known.front() = {};
  return std::nullopt;
}

}  // namespace sill
