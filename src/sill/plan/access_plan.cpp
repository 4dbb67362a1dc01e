#include "sill/plan/access_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "sill/base/error.hpp"
#include "sill/plan/coverage.hpp"
#include "sill/plan/rows.hpp"

namespace sill {
namespace {

[[noreturn]] void refuse(const Extent& extent, const std::string& problem) {
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("an extent of file {} {}: offset {}, runs of {} bytes, {} steps", extent.file,
                                      problem, extent.offset_bytes, extent.run_bytes, extent.steps.size())});
}

void require_sound(const Extent& extent) {
  if (extent.steps.size() > max_steps) refuse(extent, fmt::format("has more than {} steps", max_steps));
  bool negative = extent.offset_bytes < 0 || extent.run_bytes < 0;
  std::int64_t end = 0;
  bool too_far = __builtin_add_overflow(extent.offset_bytes, extent.run_bytes, &end);
  std::int64_t total = extent.run_bytes;
  for (const Step& step : extent.steps) {
    negative = negative || step.count < 0 || step.file_stride_bytes < 0;
    std::int64_t distance = 0;
    too_far = too_far ||
              __builtin_mul_overflow(std::max<std::int64_t>(step.count - 1, 0), step.file_stride_bytes, &distance) ||
              __builtin_add_overflow(end, distance, &end) || __builtin_mul_overflow(total, step.count, &total);
  }
  if (negative) refuse(extent, "has a negative offset, length or stride");
  if (too_far) refuse(extent, fmt::format("ends beyond byte {}", std::numeric_limits<std::int64_t>::max()));
}

bool is_empty(const Extent& extent) {
  return extent.run_bytes == 0 ||
         std::any_of(extent.steps.begin(), extent.steps.end(), [](const Step& step) { return step.count == 0; });
}

// Sorts steps, outermost first, and removes steps without repetitions.
void sort_steps(Steps& steps) {
  steps.erase_if([](const Step& step) { return step.count == 1; });
  // Insertion sort: there are few steps, usually in order, and equal ones keep their order.
  for (Step* step = steps.begin(); step != steps.end(); ++step) {
    const auto place = std::upper_bound(steps.begin(), step, *step, [](const Step& a, const Step& b) {
      return a.file_stride_bytes > b.file_stride_bytes;
    });
    std::rotate(place, step, step + 1);
  }
}

// Merges every step that only continues the step inside it.
void merge_steps(Extent& extent) {
  Steps& steps = extent.steps;
  const bool addressed = extent.memory != nullptr && !extent.has_code();
  while (!steps.empty() && steps.back().file_stride_bytes == extent.run_bytes &&
         (!addressed || steps.back().memory_stride_bytes == extent.run_bytes)) {
    extent.run_bytes *= steps.back().count;
    steps.erase(steps.size() - 1);
  }
  for (std::size_t i = steps.size(); i-- > 1;) {
    Step& inner = steps[i];
    Step& outer = steps[i - 1];
    if (outer.file_stride_bytes != inner.count * inner.file_stride_bytes) continue;
    if (addressed && outer.memory_stride_bytes != inner.count * inner.memory_stride_bytes) continue;
    outer = {outer.count * inner.count, inner.file_stride_bytes, inner.memory_stride_bytes};
    steps.erase(i);
  }
}

// Appends `extent` to `result`, split along a step whose repetitions interleave or overlap. Steps are merged only after
// the split, because memory decides which ones are merged. Extents that are equal in the file thus give bytes in the
// same order, and ranks that do not know each other's memory agree on the order of the bytes in a message.
void add_nested(Extent extent, std::vector<Extent>& result) {
  sort_steps(extent.steps);
  std::int64_t span = extent.run_bytes;
  for (std::size_t i = extent.steps.size(); i-- > 0;) {
    const Step step = extent.steps[i];
    if (step.file_stride_bytes < span) {
      if (extent.has_code()) {
        refuse(extent, "has an encoder or decoder, but its steps interleave in the file");
      }
      extent.steps.erase(i);
      for (std::int64_t repetition = 0; repetition < step.count; ++repetition) {
        Extent one = extent;
        one.offset_bytes += repetition * step.file_stride_bytes;
        if (one.memory != nullptr) one.memory += repetition * step.memory_stride_bytes;
        add_nested(std::move(one), result);
      }
      return;
    }
    span += (step.count - 1) * step.file_stride_bytes;
  }
  merge_steps(extent);
  result.push_back(std::move(extent));
}

bool continues(const Extent& before, const Extent& after) {
  return before.file == after.file && !before.has_code() && !after.has_code() && before.steps.empty() &&
         after.steps.empty() && before.memory != nullptr &&
         before.offset_bytes + before.run_bytes == after.offset_bytes &&
         before.memory + before.run_bytes == after.memory;
}

std::vector<Extent> sorted_and_coalesced(std::vector<Extent> extents) {
  std::vector<Extent> nested;
  nested.reserve(extents.size());
  for (Extent& extent : extents) {
    require_sound(extent);
    if (!is_empty(extent)) add_nested(std::move(extent), nested);
  }
  const auto place = [](const Extent& extent) {
    return std::tuple(extent.file, extent.offset_bytes, extent.total_bytes());
  };
  const auto before = [&](const Extent& a, const Extent& b) { return place(a) < place(b); };
  if (!std::is_sorted(nested.begin(), nested.end(), before)) std::stable_sort(nested.begin(), nested.end(), before);
  std::vector<Extent> result;
  result.reserve(nested.size());
  for (Extent& extent : nested) {
    if (!result.empty() && continues(result.back(), extent)) {
      result.back().run_bytes += extent.run_bytes;
    } else {
      result.push_back(std::move(extent));
    }
  }
  return result;
}

}  // namespace

AccessPlan AccessPlan::for_writing(std::vector<Extent> extents) {
  for (Extent& extent : extents) extent.decoder = nullptr;  // its memory side is the address or the encoder
  AccessPlan plan(sorted_and_coalesced(std::move(extents)));
  for (const int file : plan.files()) require_disjoint(file, {{&plan, 0}});
  return plan;
}

AccessPlan AccessPlan::for_reading(std::vector<Extent> extents) {
  for (Extent& extent : extents) extent.encoder = nullptr;
  return AccessPlan(sorted_and_coalesced(std::move(extents)));
}

void AccessPlan::move_along(std::int64_t bytes) { move_extents(bytes); }

std::optional<std::int64_t> AccessPlan::distance_from(const AccessPlan& before) const {
  const std::span<const Extent> mine = extents();
  const std::span<const Extent> earlier = before.extents();
  if (mine.size() != earlier.size()) return std::nullopt;
  if (mine.empty()) return 0;
  const std::int64_t distance = mine.front().offset_bytes - earlier.front().offset_bytes;
  const auto alike = [&](const Extent& a, const Extent& b) {
    return a.file == b.file && a.offset_bytes - b.offset_bytes == distance && a.run_bytes == b.run_bytes &&
           std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
                      [](const Step& one, const Step& other) {
                        return one.count == other.count && one.file_stride_bytes == other.file_stride_bytes;
                      });
  };
  if (!std::equal(mine.begin(), mine.end(), earlier.begin(), alike)) return std::nullopt;
  return distance;
}

void AccessPlan::take_memory_of(const AccessPlan& after) {
  std::vector<Extent>& mine = extents_in_place();
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::int64_t offset_bytes = mine[i].offset_bytes;
    mine[i] = after.extents()[i];
    mine[i].offset_bytes = offset_bytes;
  }
}

}  // namespace sill
