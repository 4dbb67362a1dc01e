#include "sill/plan/access_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sill/base/error.hpp"

namespace sill {
namespace {

std::vector<Extent> sorted_and_coalesced(std::vector<Extent> extents) {
  for (const Extent& extent : extents) {
    if (extent.bytes.offset < 0 || extent.bytes.length < 0 || extent.memory_offset_bytes < 0) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("an extent of file {} has a negative offset or length: offset {}, length {}",
                                          extent.file, extent.bytes.offset, extent.bytes.length)});
    }
  }
  std::erase_if(extents, [](const Extent& extent) { return extent.bytes.empty(); });
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
    return std::tie(a.file, a.bytes.offset, a.bytes.length) < std::tie(b.file, b.bytes.offset, b.bytes.length);
  });
  std::vector<Extent> result;
  for (const Extent& extent : extents) {
    if (!result.empty()) {
      Extent& last = result.back();
      if (last.file == extent.file && last.bytes.end() == extent.bytes.offset &&
          last.memory_offset_bytes + last.bytes.length == extent.memory_offset_bytes) {
        last.bytes.length += extent.bytes.length;
        continue;
      }
    }
    result.push_back(extent);
  }
  return result;
}

}  // namespace

AccessPlan AccessPlan::for_writing(std::vector<Extent> extents) {
  AccessPlan plan(sorted_and_coalesced(std::move(extents)));
  for (std::size_t i = 1; i < plan.extents_.size(); ++i) {
    const Extent& before = plan.extents_[i - 1];
    const Extent& after = plan.extents_[i];
    if (before.file == after.file && before.bytes.end() > after.bytes.offset) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("two extents to be written overlap in file {}: bytes {}-{} and {}-{}",
                                          before.file, before.bytes.offset, before.bytes.end() - 1, after.bytes.offset,
                                          after.bytes.end() - 1)});
    }
  }
  return plan;
}

AccessPlan AccessPlan::for_reading(std::vector<Extent> extents) {
  return AccessPlan(sorted_and_coalesced(std::move(extents)));
}

std::int64_t AccessPlan::total_bytes() const {
  std::int64_t total = 0;
  for (const Extent& extent : extents_) total += extent.bytes.length;
  return total;
}

}  // namespace sill
