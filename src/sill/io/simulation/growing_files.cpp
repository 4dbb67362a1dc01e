#include "sill/io/simulation/growing_files.hpp"

#include <utility>

#include "sill/comm/agree.hpp"

namespace sill {

GrowingFiles::GrowingFiles(const Resources& resources, MoverFiles files, CountPlan count_plan, std::int64_t steps)
    : resources_(resources),
      count_plan_(std::move(count_plan)),
      certain_steps_(steps),
      mover_(resources.comm, std::move(files), resources.policy, resources.limits()) {}

template <class Work>
void GrowingFiles::perform(Work&& work) {
  if (failure_) throw Error(*failure_);
  try {
    work();
  } catch (const Error& error) {
    require_known_to_all(resources_.comm, error);
    fail(error);
    throw;
  }
}

// What counts steps may count some that were not written.
void GrowingFiles::fail(const Error& error) {
  failure_ = error;
  if (error.code() == ErrorCode::usage) return;
  try {
    mover_.write(run_and_agree(resources_.comm, [&] { return count_plan_(certain_steps_); }));
    mover_.close();  // nothing is written after an error
  } catch (const Error& second) {
    require_known_to_all(resources_.comm, second);  // else it is the first error that counts
  }
}

void GrowingFiles::end(std::size_t max_in_flight) {
  while (begun_.size() > max_in_flight) {
    certain_steps_ = begun_.front().steps;
    begun_.pop_front();
  }
}

void GrowingFiles::write(std::span<const AccessPlan> one_by_one, const Opening& opening, std::int64_t steps,
                         std::shared_ptr<void> holds, Memory memory) {
  perform([&] {
    if (const std::optional<Error> error = mover_.use(resources_.policy, resources_.limits())) throw Error(*error);
    mover_.write(one_by_one, opening, memory);
    if (one_by_one.empty()) return;
    begun_.push_back({steps, std::move(holds)});
    end(static_cast<std::size_t>(resources_.policy.async));
  });
}

void GrowingFiles::wait() {
  perform([&] {
    mover_.wait();
    end(0);
  });
}

void GrowingFiles::close() {
  const auto failed_before = failure_;
  if (!failed_before) return perform([&] { mover_.close(); });
  const std::optional<Error> error = attempt([&] { mover_.close(); });
  if (error) require_known_to_all(resources_.comm, *error);
  throw Error(*failed_before);
}

}  // namespace sill
