#include "sill/plan/access_plan.hpp"

#include <fmt/format.h>

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
  if (extent.steps.size() > most_steps) refuse(extent, fmt::format("has more than {} steps", most_steps));
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

bool has_code(const Extent& extent) { return extent.encoder != nullptr || extent.decoder != nullptr; }

bool is_empty(const Extent& extent) {
  return extent.run_bytes == 0 ||
         std::any_of(extent.steps.begin(), extent.steps.end(), [](const Step& step) { return step.count == 0; });
}

// Outermost step first, and none that repeats nothing.
void sort_steps(std::vector<Step>& steps) {
  std::erase_if(steps, [](const Step& step) { return step.count == 1; });
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.file_stride_bytes > b.file_stride_bytes; });
}

// No step that only continues the one inside it.
void merge_steps(Extent& extent) {
  std::vector<Step>& steps = extent.steps;
  const bool addressed = extent.memory != nullptr && !has_code(extent);
  while (!steps.empty() && steps.back().file_stride_bytes == extent.run_bytes &&
         (!addressed || steps.back().memory_stride_bytes == extent.run_bytes)) {
    extent.run_bytes *= steps.back().count;
    steps.pop_back();
  }
  for (std::size_t i = steps.size(); i-- > 1;) {
    Step& inner = steps[i];
    Step& outer = steps[i - 1];
    if (outer.file_stride_bytes != inner.count * inner.file_stride_bytes) continue;
    if (addressed && outer.memory_stride_bytes != inner.count * inner.memory_stride_bytes) continue;
    outer = {outer.count * inner.count, inner.file_stride_bytes, inner.memory_stride_bytes};
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// Appends `extent` to `result`, taken apart along a step whose repetitions interleave or overlap. Steps are merged at
// the end, because memory decides which ones: extents alike in the file give bytes in the same order, so that ranks
// that know nothing of each other's memory agree on the order of the bytes in a message.
void add_nested(Extent extent, std::vector<Extent>& result) {
  sort_steps(extent.steps);
  std::int64_t span = extent.run_bytes;
  for (std::size_t i = extent.steps.size(); i-- > 0;) {
    const Step step = extent.steps[i];
    if (step.file_stride_bytes < span) {
      if (has_code(extent)) {
        refuse(extent, "has an encoder or decoder, but its steps interleave in the file");
      }
      extent.steps.erase(extent.steps.begin() + static_cast<std::ptrdiff_t>(i));
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
  return before.file == after.file && !has_code(before) && !has_code(after) && before.steps.empty() && after.steps.empty() && before.memory != nullptr &&
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

AccessPlan::AccessPlan(std::vector<Extent> extents) : extents_(std::move(extents)) {
  reach_.reserve(extents_.size());
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    const std::int64_t end = extents_[i].hull().end();
    const bool first_of_file = i == 0 || extents_[i - 1].file != extents_[i].file;
    reach_.push_back(first_of_file ? end : std::max(end, reach_.back()));
  }
}

AccessPlan AccessPlan::for_writing(std::vector<Extent> extents) {
  AccessPlan plan(sorted_and_coalesced(std::move(extents)));
  for (const int file : plan.files()) require_disjoint(file, {{&plan, 0}});
  return plan;
}

AccessPlan AccessPlan::for_reading(std::vector<Extent> extents) {
  return AccessPlan(sorted_and_coalesced(std::move(extents)));
}

std::int64_t AccessPlan::total_bytes() const {
  std::int64_t total = 0;
  for (const Extent& extent : extents_) total += extent.total_bytes();
  return total;
}

std::vector<int> AccessPlan::files() const {
  std::vector<int> files;
  for (const Extent& extent : extents_) {
    if (files.empty() || files.back() != extent.file) files.push_back(extent.file);
  }
  return files;
}

std::span<const Extent> AccessPlan::of_file(int file) const {
  const auto begin = std::lower_bound(extents_.begin(), extents_.end(), file,
                                      [](const Extent& extent, int number) { return extent.file < number; });
  const auto end = std::upper_bound(begin, extents_.end(), file,
                                    [](int number, const Extent& extent) { return number < extent.file; });
  return {begin, end};
}

ByteRange AccessPlan::hull_of(int file) const {
  const std::span<const Extent> extents = of_file(file);
  if (extents.empty()) return {};
  const std::int64_t first = extents.front().offset_bytes;
  return {first, reach_[static_cast<std::size_t>(&extents.back() - extents_.data())] - first};
}

std::size_t AccessPlan::first_reaching(int file, std::int64_t offset_bytes) const {
  const std::span<const Extent> extents = of_file(file);
  if (extents.empty()) return extents_.size();
  const auto first = static_cast<std::ptrdiff_t>(extents.data() - extents_.data());
  const auto begin = reach_.begin() + first;
  const auto end = begin + static_cast<std::ptrdiff_t>(extents.size());
  const auto found = std::upper_bound(begin, end, offset_bytes);
  return found == end ? extents_.size() : static_cast<std::size_t>(found - reach_.begin());
}

std::optional<std::int64_t> AccessPlan::next_byte(int file, std::int64_t offset_bytes) const {
  std::optional<std::int64_t> next;
  for (std::size_t i = first_reaching(file, offset_bytes); i < extents_.size(); ++i) {
    const Extent& extent = extents_[i];
    if (extent.file != file || (next && extent.offset_bytes >= *next)) break;
    const std::int64_t packed = extent.bytes_before(offset_bytes);
    if (packed == extent.total_bytes()) continue;
    const std::int64_t at = extent.file_offset_of(packed);
    next = next ? std::min(*next, at) : at;
    if (*next == offset_bytes) break;
  }
  return next;
}

}  // namespace sill
