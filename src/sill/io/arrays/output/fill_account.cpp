#include "sill/io/arrays/output/fill_account.hpp"

#include <algorithm>
#include <utility>

#include "sill/layout/box.hpp"
#include "sill/plan/subarray.hpp"

namespace sill {
namespace {

// Returns true if the elements that ranks passed, their number and the halves of their fingerprint, are all `elements`,
// each `times` times.
bool are_all(std::span<const std::int64_t> passed, std::int64_t elements, std::int64_t times) {
  if (passed[0] / times != elements || passed[0] % times != 0) return false;
  Fingerprint all;
  all.add({.run_bytes = elements, .steps = {{times, 0, 0}}}, {0, passed[0]}, 0);
  return Fingerprint::of_sums(passed[1], passed[2]) == all;
}

}  // namespace

FillAccount::FillAccount(const DatasetDescription& description, bool fills, bool in_one_call)
    : fills_(fills), in_one_call_(in_one_call), is_compared_(in_one_call) {
  for (const Variable& variable : description.variables) {
    variables_.push_back({.elements = whole(description.shape_of(variable)).items(),
                          .has_steps = description.has_steps(variable),
                          .may_lack = fills});
  }
}

void FillAccount::set_constant_written() {
  (void)take_unwritten();
  for (Counted& variable : variables_) {
    variable.is_written = !variable.has_steps;
  }
}

FillAccount::Call FillAccount::take(Communicator& comm, std::span<const std::int64_t> brought, std::int64_t steps,
                                    bool has_error) {
  std::vector<std::int64_t> sums(brought.begin(), brought.end());
  for (const Counted& each : variables_) {
    const auto [low, high] = each.places.halves();
    sums.insert(sums.end(), {each.in_step, low, high});
  }
  if (has_error) steps = 0;
  sums.insert(sums.end(), {steps, steps * steps, has_error ? 1 : 0});
  comm.all_reduce(sums, Reduction::sum);
  const std::span<const std::int64_t> of_call = std::span(sums).last(3);
  // The mean of the squares is the square of the mean only if all numbers are equal. The divisions come first, so that
  // no product overflows.
  const std::int64_t ranks = comm.size();
  Call call{.has_equal_steps = of_call[0] % ranks == 0 && of_call[1] % ranks == 0 &&
                               (of_call[0] / ranks) * (of_call[0] / ranks) == of_call[1] / ranks};
  if (of_call[2] > 0 || !call.has_equal_steps) return call;
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    Counted& variable = variables_[v];
    const std::int64_t end = variable.has_steps ? std::max<std::int64_t>(steps, 1) : 1;
    const std::span<const std::int64_t> passed = std::span(sums).subspan(brought.size() + 3 * v, 3);
    // Without `in_one_call`, elements that are passed twice in one call are found while they are written.
    if (is_compared_ && variable.has_steps && variable.elements > 0 && passed[0] / end >= variable.elements &&
        !are_all(passed, variable.elements * end, 1))
      call.repeated = v;
    if (!fills_ || (sums[v] == 0 && steps == 0)) continue;
    if (!variable.may_lack) {
      // Earlier calls wrote only to the first of these steps; the others may have missing elements.
      if (end > 1) call.lacks.push_back({v, 1, end});
      continue;
    }
    if (sums[v] / end < variable.elements) call.lacks.push_back({v, 0, end});
    variable.may_lack = false;
  }
  return call;
}

void FillAccount::end_call(bool completes) {
  is_compared_ = in_one_call_ || (!completes && std::ranges::any_of(variables_, &Counted::has_steps));
  for (Counted& variable : variables_) {
    if (!completes || !variable.has_steps) continue;
    variable.may_lack = fills_;
    variable.own += std::exchange(variable.in_step, 0);
    variable.places = {};
  }
}

void FillAccount::add(const DatasetDescription& description, std::span<const ArrayPart> parts, PassedFor steps) {
  for (const ArrayPart& part : parts) {
    const std::size_t number = description.variable_named(part.variable);
    Counted& variable = variables_[number];
    const bool is_in_step = variable.has_steps && steps != PassedFor::earlier_steps;
    (is_in_step ? variable.in_step : variable.own) += elements_of(part);
    const bool is_compared =
        variable.has_steps ? is_in_step && (steps == PassedFor::incomplete_step || is_compared_) : !fills_;
    if (!is_compared || elements_of(part) == 0) continue;
    const std::int64_t first = is_in_step ? part.step * variable.elements : 0;
    const auto add_places = [&](const Extent& extent) { variable.places.add(extent, {0, extent.total_bytes()}, 0); };
    if (part.elements) {
      for (const std::int64_t each : *part.elements) add_places({.offset_bytes = first + each, .run_bytes = 1});
    } else {
      const Index shape = description.shape_of(description.variables[number]);
      add_places(subarray(row_major(0, first, shape, 1), part.box, nullptr, Index(shape.size())));
    }
  }
}

std::vector<FillAccount::Total> FillAccount::totals(Communicator& comm, std::int64_t steps) const {
  std::vector<std::int64_t> sums;
  for (const Counted& variable : variables_) {
    const auto [low, high] = variable.places.halves();
    sums.insert(sums.end(), {variable.own, low, high});
  }
  comm.all_reduce(sums, Reduction::sum);
  std::vector<Total> totals(variables_.size());
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const Counted& variable = variables_[v];
    if (variable.is_written || variable.elements == 0) continue;
    const std::span<const std::int64_t> passed = std::span(sums).subspan(3 * v, 3);
    const std::int64_t times = passed[0] / variable.elements;
    totals[v].lacking = std::max<std::int64_t>(0, variable.elements * (variable.has_steps ? steps : 1) - passed[0]);
    totals[v].may_be_lacking =
        !fills_ && !variable.has_steps && times > 0 && !are_all(passed, variable.elements, times);
  }
  return totals;
}

std::vector<FillAccount::Lack> FillAccount::take_unwritten() {
  std::vector<Lack> lacks;
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    Counted& variable = variables_[v];
    if (variable.may_lack && !variable.has_steps) lacks.push_back({v});
    if (!variable.has_steps) variable.may_lack = false;
  }
  return lacks;
}

}  // namespace sill
