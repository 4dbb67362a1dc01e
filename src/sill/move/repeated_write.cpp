#include "sill/move/repeated_write.hpp"

namespace sill {

std::optional<std::int64_t> LastWrite::distance_to(const AccessPlan& mine, WriteWay way) const {
  if (!is_known || is_direct != (way == WriteWay::direct)) return std::nullopt;
  const std::optional<std::int64_t> distance = mine.distance_from(plan);
  if (!distance) return std::nullopt;
  if (decision.cuts_files && *distance % decision.align_bytes != 0) return std::nullopt;
  if (way == WriteWay::copied && !rounds) return std::nullopt;
  if ((way == WriteWay::lent || way == WriteWay::jobs) && *distance != 0) return std::nullopt;
  return distance;
}

}  // namespace sill
