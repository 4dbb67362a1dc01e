#include "sill/move/mover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/move/call_clock.hpp"
#include "sill/move/direct_requests.hpp"
#include "sill/move/plan_reader.hpp"

namespace sill {
Mover::Mover(Communicator& comm, MoverFiles files, const Policy& policy, const MoverLimits& limits)
    : comm_(comm), resources_(comm) {
  resources_.take(std::move(files), policy, limits);
}

std::optional<Error> Mover::use(const Policy& policy, const MoverLimits& limits) {
  const Policy& now = resources_.policy();
  if (policy == now) return std::nullopt;
  run_and_agree(comm_, [&] {
    if (policy.call == now.call && policy.async == now.async && policy.stripe_count == now.stripe_count &&
        policy.stripe_bytes == now.stripe_bytes && policy.burst == now.burst)
      return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("the policy of an output that has begun was changed from {} to {}", now.text(),
                                        policy.text()),
                 .action = "do not change the axes call, async, striping and burst"});
  });
  std::optional<Error> of_writes;
  // An error of unfinished writes prevents syncing and closing; a second call performs these.
  for (bool is_closed = false; !is_closed;) {
    const std::optional<Error> error = attempt_together(comm_, [&] { close(); });
    is_closed = !error || of_writes;
    keep_first(of_writes, error);
  }
  MoverFiles files = resources_.terms().files;  // which remain unchanged if the policy is rejected
  if (files.mode == OpenMode::create) files.mode = OpenMode::write_or_create;  // some files exist already
  resources_.take(std::move(files), policy, limits);
  writer_.forget();
  last_call_.reset();
  return of_writes;
}

template <class Work>
void Mover::release_after_error(Work&& work) {
  const std::optional<Error> error = attempt_together(comm_, std::forward<Work>(work));
  if (!error) return;
  resources_.files().together.release();
  throw Error(*error);
}

void Mover::write(const AccessPlan& mine, const PlanOfRank& plan_of_rank, Memory memory) {
  release_after_error([&] { perform_write({&mine, 1}, plan_of_rank, {}, memory); });
}

void Mover::write(std::span<const AccessPlan> one_by_one, const Opening& opening, Memory memory,
                  const PlanOfRank& plan_of_rank) {
  release_after_error([&] { perform_write(one_by_one, plan_of_rank, opening, memory); });
}

std::optional<Error> Mover::write_unagreed(const AccessPlan& mine, const Opening& opening) {
  std::optional<Error> of_requests;
  release_after_error([&] {
    const OpenedWrite opened = open_write({&mine, 1}, {}, opening, Memory::copied, false);
    WriteCall call{.files = &resources_.files()};
    const std::optional<Error> error = attempt([&] {
      writer_.begin({.mine = mine, .plan_of_rank = {}, .distance_bytes = opened.distances_bytes[0]}, call, in_flight_);
    });
    of_requests = call.wait();
    if (error) throw Error(*error);
  });
  return of_requests;
}

void Mover::write_own(int file, std::int64_t offset_bytes, std::span<const std::byte> bytes) {
  write_at(*own_handle(file), offset_bytes, bytes);
}

void Mover::write_own(const AccessPlan& mine) {
  for (const Extent& extent : mine.extents()) write_packed(*own_handle(extent.file), extent);
}

std::shared_ptr<Store> Mover::own_handle(int file) {
  FileSet& files = resources_.files();
  std::shared_ptr<Store> handle = files.handles.get(file);
  if (files.mode != OpenMode::read) files.handles.set_written(file);
  return handle;
}

void Mover::read(const AccessPlan& mine, const PlanOfRank& plan_of_rank) {
  release_after_error([&] {
    in_flight_.collect(0);
    read_plan(resources_, mine, plan_of_rank);
  });
}

void Mover::wait() {
  std::optional<Error> first;
  while (in_flight_.begins_with_phase()) keep_first(first, in_flight_.finish_oldest());
  if (first) throw Error(*first);
  release_after_error([&] { in_flight_.collect(0); });
}

OpenedWrite Mover::open_write(std::span<const AccessPlan> plans, const PlanOfRank& plan_of_rank, const Opening& opening,
                              Memory memory, bool is_of_rank) {
  Opening mine = opening;
  std::vector<AccessSummary>
      summaries;  // built before ranks agree: an error after that would leave other ranks waiting
  if (!mine.error) {
    mine.error = attempt([&] {
      for (const AccessPlan& plan : plans) require_memory(Operation::write, plan);
      if (plan_of_rank && !plans.empty()) summaries = all_access_summaries(comm_, plans.front(), plan_of_rank);
    });
  }
  MoverState state{.done = in_flight_.count_done(), .last_call = std::exchange(last_call_, std::nullopt)};
  for (std::size_t i = 0; i < plans.size(); ++i) {
    state.plans.push_back(mine.error ? PlanRepeat{}
                                     : writer_.repeat_of(i, plans[i], memory, is_of_rank || (plan_of_rank && i > 0)));
  }
  OpenedWrite opened = agree_on_write(comm_, mine, state);
  opened.summaries = std::move(summaries);
  if (resources_.chooses(is_of_rank) && !plans.empty()) {
    const bool is_like_last = std::ranges::all_of(opened.distances_bytes, &std::optional<std::int64_t>::has_value);
    if (resources_.terms().files.chooser->begin_write(opened.last_call, is_like_last)) {
      opened.distances_bytes.assign(plans.size(), std::nullopt);
    }
  }
  return opened;
}

void Mover::perform_write(std::span<const AccessPlan> plans, const PlanOfRank& plan_of_rank, const Opening& opening,
                          Memory memory) {
  const int async = resources_.policy().async;
  in_flight_.collect(static_cast<std::size_t>(std::max(0, async - 1)));
  const OpenedWrite opened = open_write(plans, plan_of_rank, opening, memory, false);
  const CallClock clock(resources_.terms().files.meter);
  try {
    begin_requests(in_flight_.begin(resources_.files()), plans, plan_of_rank, memory, opened);
  } catch (...) {
    in_flight_.drop();
    throw;
  }
  if (async > 0) return;
  in_flight_.drop();
  last_call_ = clock.time();
}

void Mover::begin_requests(WriteCall& call, std::span<const AccessPlan> plans, const PlanOfRank& plan_of_rank,
                           Memory memory, const OpenedWrite& opened) {
  const bool waits = resources_.policy().async == 0;
  const std::shared_ptr<PolicyChooser>& chooser = resources_.terms().files.chooser;
  const auto is_trial = [&] { return resources_.chooses(call.files->is_of_rank) && chooser->is_trial(); };
  const auto begin = [&](bool is_again) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      writer_.begin({.place = i,
                     .mine = plans[i],
                     .plan_of_rank = plan_of_rank,
                     .summaries = opened.summaries,
                     .memory = memory,
                     .is_of_rank = call.files->is_of_rank || (plan_of_rank && i > 0),
                     .distance_bytes = is_again ? std::nullopt : opened.distances_bytes[i]},
                    call, in_flight_);
      // Ranks agree on the requests of a phase with its own files when the phase ends, unless the requests may have to
      // be repeated.
      if (waits && (!call.of_phase || is_trial())) agree(comm_, call.wait());
    }
  };
  if (!is_trial() || !waits) return begin(false);
  try {
    begin(false);
  } catch (const Error& error) {
    require_known_to_all(comm_, error);
    if (!is_trial()) throw;
    (void)call.wait();
    call.batches.clear();
    chooser->fall_back(error);
    writer_.forget();
    begin(true);
  }
}

bool Mover::write_phase(const AccessPlan& mine, const Opening& opening, bool is_of_rank,
                        const std::function<PhaseFiles(const Agreed& agreed)>& make, Memory memory,
                        std::optional<Error>& first, const PlanOfRank& plan_of_rank) {
  const Policy& policy = resources_.policy();
  const MoverTerms& terms = resources_.terms();
  const bool is_full = in_flight_.size() >= static_cast<std::size_t>(std::max(1, policy.async));
  if (is_full) keep_first(first, in_flight_.finish_oldest());
  std::list<WriteCall> begun(1);
  WriteCall& call = begun.front();
  std::optional<CallClock> clock;
  try {
    const OpenedWrite opened = open_write({&mine, 1}, plan_of_rank, opening, memory, is_of_rank);
    clock.emplace(terms.files.meter);
    if (opened.done > 0 && !is_full) keep_first(first, in_flight_.finish_oldest());  // one per call
    call.phase = make(opened.agreed);
    call.of_phase = std::make_unique<FileSet>(comm_, terms, std::move(call.phase.paths), call.phase.mode,
                                              policy.is_durable(), is_of_rank);
    call.files = call.of_phase.get();
    begin_requests(call, {&mine, 1}, plan_of_rank, memory, opened);
  } catch (...) {
    const Error error = current_error();
    require_known_to_all(comm_, error);
    (void)call.wait();
    if (call.of_phase) call.of_phase->together.release();
    keep_first(first, error);
    return false;
  }
  in_flight_.add(std::move(begun));
  if (policy.async > 0) return true;
  const std::optional<Error> failure = in_flight_.finish_oldest();
  keep_first(first, failure);
  if (!failure && resources_.chooses(is_of_rank)) last_call_ = clock->time();
  return !failure;
}

void Mover::close() {
  wait();
  // Closed even if syncing failed: a second sync would not report the error again.
  std::optional<Error> failure;
  if (resources_.policy().is_durable()) {
    failure = attempt([&] { resources_.files().handles.sync_written(); });
  }
  close_files(failure);
}

void Mover::share() {
  wait();
  close_files({});
}

void Mover::close_files(const std::optional<Error>& failure) {
  FileSet& files = resources_.files();
  const std::optional<Error> closing = attempt([&] { files.handles.close(); });
  const std::optional<Error> of_all = attempt([&] { files.together.close(); });
  agree(comm_, failure ? failure : closing);
  if (of_all) throw Error(*of_all);
}

}  // namespace sill
