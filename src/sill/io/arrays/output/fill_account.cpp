#include "sill/io/arrays/output/fill_account.hpp"

#include <algorithm>

#include "sill/layout/box.hpp"

namespace sill {

FillAccount::FillAccount(const DatasetDescription& description, bool fills) : fills_(fills) {
  for (const Variable& variable : description.variables) {
    variables_.push_back({.elements = whole(description.shape_of(variable)).items(),
                          .has_steps = description.has_steps(variable),
                          .may_lack = fills});
  }
}

void FillAccount::set_constant_written() {
  (void)take_unwritten();
  for (Counted& variable : variables_) {
    if (!variable.has_steps) variable.brought = variable.elements;
  }
}

FillAccount::Call FillAccount::take(Communicator& comm, std::span<const std::int64_t> brought, std::int64_t steps,
                                    bool has_error) {
  std::vector<std::int64_t> sums(brought.begin(), brought.end());
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
    variable.brought += sums[v];
    const std::int64_t end = variable.has_steps ? std::max<std::int64_t>(steps, 1) : 1;
    variable.in_step += sums[v];
    const auto is_too_many = [&](std::int64_t all) { return all / end + (all % end == 0 ? 0 : 1) > variable.elements; };
    // Elements that are passed twice in this call alone are found while they are written.
    if (variable.has_steps && is_too_many(variable.in_step) && !is_too_many(sums[v])) call.has_too_many = v;
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

void FillAccount::begin_step() {
  for (Counted& variable : variables_) {
    if (variable.has_steps) variable.may_lack = fills_;
    variable.in_step = 0;
  }
}

void FillAccount::add_own(std::span<const std::int64_t> brought) {
  for (std::size_t v = 0; v < variables_.size(); ++v) variables_[v].own += brought[v];
}

std::vector<std::int64_t> FillAccount::lacking(Communicator& comm, std::int64_t steps) const {
  std::vector<std::int64_t> lacking;
  for (const Counted& variable : variables_) lacking.push_back(variable.own);
  comm.all_reduce(lacking, Reduction::sum);
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const Counted& variable = variables_[v];
    const std::int64_t all = variable.elements * (variable.has_steps ? steps : 1);
    lacking[v] = std::max<std::int64_t>(0, all - variable.brought - lacking[v]);
  }
  return lacking;
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
