#include "sill/io/simulation/growing_files.hpp"

#include <array>
#include <utility>

#include "sill/comm/agree.hpp"

namespace sill {

GrowingFiles::GrowingFiles(const Resources& resources, MoverFiles files, CountPlan count_plan, std::int64_t steps,
                           bool counts_by_owner)
    : resources_(resources),
      count_plan_(std::move(count_plan)),
      counts_by_owner_(counts_by_owner),
      certain_steps_(steps),
      counted_steps_(steps),
      mover_(resources.comm, std::move(files), resources.policy, resources.limits()) {}

template <class Work>
void GrowingFiles::perform(Work&& work) {
  run_unless_failed(resources_.comm, failure_, std::forward<Work>(work), [&] { write_certain_count_and_close(); });
}

// The count in a file may include steps that were not written, unless the call was refused before it wrote anything, or
// its plans were written one by one.
void GrowingFiles::write_certain_count_and_close() {
  if (failure_->code() == ErrorCode::usage && (resources_.policy.async == 0 || begun_.empty())) return;
  (void)attempt_together(resources_.comm, [&] {  // if this also fails, the first error states the cause
    mover_.write(run_and_agree(resources_.comm, [&] { return count_plan_(certain_steps_); }));
    mover_.close();  // nothing is written after an error
  });
}

bool GrowingFiles::forgive() {
  if (!failure_ || failure_->code() != ErrorCode::usage || resources_.policy.async > 0) return false;
  failure_.reset();
  return true;
}

void GrowingFiles::end(std::size_t max_in_flight) {
  while (begun_.size() > max_in_flight) {
    certain_steps_ = begun_.front().steps;
    begun_.pop_front();
  }
}

std::int64_t GrowingFiles::countable(std::int64_t steps) const {
  return resources_.policy.async == 0 ? steps : certain_steps_;
}

void GrowingFiles::write(std::span<const AccessPlan> one_by_one, const Opening& opening, Steps steps,
                         std::shared_ptr<void> holds, Memory memory, const PlanOfRank& plan_of_rank) {
  // `use` may close the files. After its error nothing is written: another file may have the name.
  run_unless_failed(resources_.comm, failure_, [&] {
    if (const std::optional<Error> error = mover_.use(resources_.policy, resources_.limits())) throw Error(*error);
  });
  perform([&] {
    mover_.write(one_by_one, opening, memory, plan_of_rank);
    if (one_by_one.empty()) return;
    begun_.push_back({steps.written, std::move(holds)});
    counted_steps_ = steps.counted.value_or(counted_steps_);
    end(static_cast<std::size_t>(resources_.policy.async));
  });
}

void GrowingFiles::wait() {
  perform([&] { wait_and_count(); });
}

void GrowingFiles::wait_and_count() {
  mover_.wait();
  end(0);
  if (counted_steps_ == certain_steps_) return;
  std::array<AccessPlan, 2> plans;  // the second, as in calls that count
  Opening opening;
  opening.error = attempt([&] { plans[1] = count_plan_(certain_steps_); });
  const auto nothing = [](int) { return AccessPlan(); };
  mover_.write(plans, opening, Memory::copied, counts_by_owner_ ? PlanOfRank(nothing) : PlanOfRank());
  mover_.wait();
  counted_steps_ = certain_steps_;
}

void GrowingFiles::close() {
  if (!failure_) (void)attempt_together(resources_.comm, [&] { wait(); });
  // All steps are counted now. After an error nothing is written: another file may have the name.
  if (!failure_) return run_unless_failed(resources_.comm, failure_, [&] { mover_.close(); });
  (void)attempt_together(resources_.comm, [&] { mover_.close(); });
  throw Error(*failure_);
}

}  // namespace sill
