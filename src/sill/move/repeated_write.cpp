#include "sill/move/repeated_write.hpp"

#include <algorithm>

namespace sill {

bool do_cut_files(std::span<const WriterWindows> writers, std::span<const FileDomain> domains) {
  const auto of_one_file = [](const FileDomain& a, const FileDomain& b) { return a.file == b.file; };
  return std::adjacent_find(domains.begin(), domains.end(), of_one_file) != domains.end() ||
         std::any_of(writers.begin(), writers.end(), [](const WriterWindows& each) { return each.cuts_domains(); });
}

std::optional<std::int64_t> LastWrite::distance_to(const AccessPlan& mine, WriteWay way,
                                                   std::int64_t align_bytes) const {
  if (!is_known || is_direct != (way == WriteWay::direct)) return std::nullopt;
  const std::optional<std::int64_t> distance = mine.distance_from(plan);
  if (!distance) return std::nullopt;
  if (exchange.cuts_files && *distance % align_bytes != 0) return std::nullopt;
  if (way == WriteWay::copied && !rounds) return std::nullopt;
  if ((way == WriteWay::lent || way == WriteWay::jobs) && *distance != 0) return std::nullopt;
  return distance;
}

}  // namespace sill
