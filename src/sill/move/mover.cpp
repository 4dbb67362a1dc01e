#include "sill/move/mover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"

namespace sill {
namespace {

// What a thread performs at once where requests go straight from memory.
constexpr std::int64_t direct_task_bytes = 8 << 20;

void require_memory(Operation operation, const AccessPlan& plan) {
  const bool writes = operation == Operation::write;
  for (const Extent& extent : plan.extents()) {
    const bool has_code = writes ? extent.encoder != nullptr : extent.decoder != nullptr;
    if (extent.memory != nullptr || has_code) continue;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("an extent of file {} has neither memory nor {}: offset {}, runs of {} bytes",
                                        extent.file, writes ? "an encoder" : "a decoder", extent.offset_bytes,
                                        extent.run_bytes)});
  }
}

// Whether requests are as few and as long straight from where the extents lie as from a stage: each is contiguous or
// has long runs, and none begins before another ends, as fields of a record do.
bool lie_well(const AccessPlan& plan) {
  constexpr std::int64_t long_run_bytes = 4096;
  int file = -1;
  std::int64_t reach = 0;
  return std::all_of(plan.extents().begin(), plan.extents().end(), [&](const Extent& extent) {
    if (extent.file != std::exchange(file, extent.file)) reach = 0;
    const bool apart = extent.offset_bytes >= reach;
    reach = std::max(reach, extent.bounding_range().end());
    return apart && (extent.steps.empty() || extent.run_bytes >= long_run_bytes);
  });
}

// The shares of files of which more than one rank has some.
std::vector<AccessSummary> shares_of_several(std::span<const AccessSummary> shares) {
  std::vector<AccessSummary> found;
  for_each_file(shares, [&](std::span<const AccessSummary> of_file) {
    if (of_file.size() > 1) found.insert(found.end(), of_file.begin(), of_file.end());
  });
  return found;
}

bool have_file(std::span<const AccessSummary> shares, int file) {
  const auto found = std::ranges::lower_bound(shares, file, {}, &AccessSummary::file);
  return found != shares.end() && found->file == file;
}

// What one thread performs at once: neighbouring extents of a file.
std::vector<std::span<const Extent>> direct_tasks(const AccessPlan& plan, std::span<const AccessSummary> of_several,
                                                  int threads) {
  std::vector<std::span<const Extent>> tasks;
  for (const int file : plan.files()) {
    if (have_file(of_several, file)) continue;
    const std::span<const Extent> extents = plan.of_file(file);
    std::size_t begin = 0;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      bytes += extents[i].total_bytes();
      if (i + 1 < extents.size() && (threads == 1 || bytes < direct_task_bytes)) continue;
      tasks.push_back(extents.subspan(begin, i + 1 - begin));
      begin = i + 1;
      bytes = 0;
    }
  }
  return tasks;
}

}  // namespace

Mover::Mover(Communicator& comm, MoverFiles files, const Policy& policy, const MoverLimits& limits)
    : comm_(comm),
      policy_(policy),
      terms_(agreed_terms(comm, std::move(files), policy, limits, striping_)),
      topology_{comm.node_of_ranks(), terms_.stripes.count},
      background_(limits.background) {
  run_and_agree(comm, [&] {
    const MoverFiles& of = terms_.files;
    handles_.emplace(of.open, of.paths, of.mode, static_cast<std::size_t>(of.max_open));
    collective_.emplace(comm, of.open_together, of.paths, of.mode, terms_.max_open_together, terms_.stage_bytes,
                        policy.is_durable());
    stages_.emplace(terms_.stage_bytes, terms_.max_stages);
  });
  if (background_ == nullptr || background_->threads() == 0 || terms_.background_threads == 0) {
    background_ = &own_background_.emplace(terms_.background_threads);
  }
}

Mover::~Mover() {
  for (Unfinished& write : in_flight_) (void)write.phase->wait();
}

template <class Work>
void Mover::release_after_error(Work&& work) {
  try {
    std::forward<Work>(work)();
  } catch (const Error& error) {
    require_known_to_all(comm_, error);
    if (is_collective()) collective_->release();
    throw;
  }
}

void Mover::write(const AccessPlan& mine, const PlanOfRank& plan_of_rank, Memory memory) {
  release_after_error([&] { perform_write(mine, plan_of_rank, memory); });
}

void Mover::read(const AccessPlan& mine, const PlanOfRank& plan_of_rank) {
  release_after_error([&] { perform_read(mine, plan_of_rank); });
}

void Mover::wait() {
  release_after_error([&] { collect(0); });
}

void Mover::perform_write(const AccessPlan& mine, const PlanOfRank& plan_of_rank, Memory memory) {
  collect(static_cast<std::size_t>(std::max(0, policy_.async - 1)));
  const bool direct = is_direct(Operation::write, mine, memory);
  const std::optional<std::int64_t> distance = recall(comm_, last_writes_, mine, direct, terms_.align_bytes);
  if (!distance) {
    last_.is_direct = direct;
    last_.shares = all_access_summaries(comm_, mine, plan_of_rank);
    // Elsewhere the writers see it in what they are sent.
    if (policy_.writers == Policy::Writers::all) require_disjoint_ranks(comm_, mine, last_.shares, plan_of_rank);
    if (is_collective()) last_.of_several = run_and_agree(comm_, [&] { return shares_of_several(last_.shares); });
  }
  last_.is_known = false;
  if (is_collective()) perform_together(Operation::write, mine, last_.of_several);
  if (is_collective() && !distance) know_created(last_.shares, last_.of_several);
  const Way way = direct ? Way::direct : distance ? Way::again : way_of_rounds(mine, memory);
  // Their jobs would wait for stages that this call keeps for later ones. Errors are collected by the next call.
  for (const Unfinished& before : in_flight_) {
    if (before.way == Way::jobs && way != Way::jobs) (void)before.phase->wait();
  }
  Unfinished& write = begin_write(mine, distance, way);
  bool is_kept = false;
  try {
    background_->begin_phase();
    is_kept = begin_requests(write, mine, distance, plan_of_rank);
  } catch (...) {
    if (exchanges()) {
      write.phase->seal();
      (void)write.phase->wait();
      in_flight_.pop_back();
      throw;
    }
    write.phase->fail(current_error());  // this rank's own: to be agreed on like those of its requests
  }
  if (is_kept && !write.phase->has_failed()) {
    last_.is_known = true;
  } else {
    last_ = {};
  }
  write.phase->seal();
  if (policy_.async == 0) collect(0);
  if (is_collective() && policy_.sync == Policy::Sync::phase) collective_->sync();
}

void Mover::perform_read(const AccessPlan& mine, const PlanOfRank& plan_of_rank) {
  collect(0);
  const auto phase = run_and_agree(comm_, [&] {
    require_memory(Operation::read, mine);
    return std::make_shared<RequestBatch>(nullptr);
  });
  const bool direct = is_direct(Operation::read, mine, Memory::lent);
  std::vector<AccessSummary> shares;
  if (is_collective() || (exchanges() && !direct)) shares = all_access_summaries(comm_, mine, plan_of_rank);
  std::vector<AccessSummary> of_several;
  if (is_collective()) {
    of_several = run_and_agree(comm_, [&] { return shares_of_several(shares); });
    perform_together(Operation::read, mine, of_several);
  }
  try {
    background_->begin_phase();
    if (direct) {
      perform_direct(Operation::read, mine, of_several, *phase, true);
    } else {
      const ExchangePlan course = course_of(Operation::read, mine, shares, of_several, plan_of_rank);
      read_rounds(tools(), schedule_of(Operation::read, mine, course), *phase);
    }
  } catch (...) {
    if (exchanges()) {
      phase->seal();
      (void)phase->wait();
      throw;
    }
    phase->fail(current_error());
  }
  phase->seal();
  agree(comm_, phase->wait());
}

void Mover::close() {
  wait();
  // Closed also where syncing failed: another try would not tell of the error again.
  std::optional<Error> failure;
  if (policy_.is_durable()) failure = attempt([&] { handles_->sync_written(); });
  const std::optional<Error> closing = attempt([&] { handles_->close(); });
  const std::optional<Error> of_all = is_collective() ? attempt([&] { collective_->close(); }) : std::nullopt;
  agree(comm_, failure ? failure : closing);
  if (of_all) throw Error(*of_all);
}

bool Mover::is_done() const {
  return std::all_of(in_flight_.begin(), in_flight_.end(),
                     [](const Unfinished& write) { return write.phase->finished(); });
}

MoveCounts Mover::counts() const {
  MoveCounts counts = counts_;
  counts.buffer_bytes = stages_->made() * stages_->bytes_each() + static_cast<std::int64_t>(messages_bytes_);
  return counts;
}

Mover::Unfinished& Mover::begin_write(const AccessPlan& mine, std::optional<std::int64_t> distance, Way way) {
  std::list<Unfinished> begun;
  run_and_agree(comm_, [&] {
    require_memory(Operation::write, mine);
    begun.emplace_back();
    begun.back().way = way;
    begun.back().phase = std::make_shared<RequestBatch>([this] {
      if (policy_.sync == Policy::Sync::phase) handles_->sync_written();
    });
    if (!distance && mine.extents().size() <= max_cached) last_.plan = mine;
    if (policy_.async == 0) return;
    if (way == Way::direct || way == Way::lent || way == Way::jobs) begun.back().plan = mine;
    begun.back().shares = last_.shares;
    for (AccessSummary& share : begun.back().shares) share.bounding_range.offset += distance.value_or(0);
  });
  keep_order(begun.back().shares);
  in_flight_.splice(in_flight_.end(), begun);
  return in_flight_.back();
}

bool Mover::begin_requests(Unfinished& write, const AccessPlan& mine, std::optional<std::int64_t> distance,
                           const PlanOfRank& plan_of_rank) {
  const bool here = policy_.async == 0;
  const bool may_keep = distance || mine.extents().size() <= max_cached;
  const auto schedule_for = [&](const AccessPlan& plan) {
    last_.course = course_of(Operation::write, plan, last_.shares, last_.of_several, plan_of_rank);
    return schedule_of(Operation::write, plan, last_.course);
  };
  switch (write.way) {
    case Way::direct:
      perform_direct(Operation::write, here ? mine : write.plan, last_.of_several, *write.phase, here);
      return may_keep;
    case Way::again:
      last_.plan.take_memory_of(mine);
      write_rounds_again(tools(), last_.rounds, *distance, *write.phase, here);
      return true;
    case Way::jobs:
    case Way::lent: {
      const Schedule schedule = schedule_for(write.plan);  // which takes the room for messages that `tools` has
      write_lent_rounds(tools(), schedule, write.way == Way::jobs, *write.phase);
      return false;
    }
    case Way::copied: {
      const Schedule schedule = schedule_for(may_keep ? last_.plan : mine);
      auto rounds = write_rounds(tools(), schedule, *write.phase, here, may_keep ? max_cached : 0);
      if (rounds) last_.rounds = std::move(*rounds);
      return may_keep && rounds;
    }
  }
  return false;
}

// Waits until at most so many writes are in flight, and agrees on errors of all that are finished.
void Mover::collect(std::size_t max_in_flight) {
  if (in_flight_.empty()) return;  // on all ranks: they began the same writes
  std::optional<Error> failure;
  std::size_t left = in_flight_.size();
  for (const Unfinished& write : in_flight_) {
    const bool must_end = left-- > max_in_flight;
    if (failure || !(must_end || write.phase->finished())) continue;
    failure = write.phase->wait();
  }
  try {
    agree(comm_, failure);
  } catch (...) {
    for (Unfinished& write : in_flight_) (void)write.phase->wait();
    in_flight_.clear();
    throw;
  }
  while (in_flight_.size() > max_in_flight) in_flight_.pop_front();
}

// A rank performs its requests in the order of the calls. Where another rank wrote the same bytes in a call that may
// not be finished, all wait for it.
void Mover::keep_order(std::span<const AccessSummary> shares) {
  const bool one_writer = policy_.writers == Policy::Writers::root || policy_.writers == Policy::Writers::elected;
  if (one_writer || comm_.size() == 1) return;
  const bool by_owner = policy_.writers == Policy::Writers::all;
  for (const Unfinished& before : in_flight_) {
    for (const AccessSummary& share : shares) {
      const auto of_file = std::lower_bound(before.shares.begin(), before.shares.end(), share.file,
                                            [](const AccessSummary& each, int file) { return each.file < file; });
      for (auto other = of_file; other != before.shares.end() && other->file == share.file; ++other) {
        if (by_owner && other->rank == share.rank) continue;
        if (other->bounding_range.end() <= share.bounding_range.offset ||
            share.bounding_range.end() <= other->bounding_range.offset)
          continue;
        collect(0);
        return;
      }
    }
  }
}

bool Mover::exchanges() const { return policy_.writers != Policy::Writers::all; }

bool Mover::is_direct(Operation operation, const AccessPlan& mine, Memory memory) {
  const bool may_keep_memory = operation == Operation::read || policy_.async == 0 || memory == Memory::lent;
  if (exchanges() || policy_.stage_bytes > 0 || !may_keep_memory) return false;
  if (std::ranges::any_of(mine.extents(), &Extent::has_code)) return false;
  return !is_collective() || lie_well(mine);
}

Mover::Way Mover::way_of_rounds(const AccessPlan& mine, Memory memory) const {
  // What only lies in memory is put into stages at once, and is free then.
  const bool may_wait = policy_.async > 0 && memory == Memory::lent;
  if (!may_wait || std::ranges::none_of(mine.extents(), &Extent::is_for_threads)) return Way::copied;
  const bool sends = exchanges() && comm_.size() > 1;
  return sends || std::ranges::any_of(mine.extents(), &Extent::is_for_caller) ? Way::lent : Way::jobs;
}

void Mover::perform_together(Operation operation, const AccessPlan& mine, std::span<const AccessSummary> of_several) {
  if (of_several.empty()) return;  // on all ranks
  run_and_agree(comm_, [&] { require_memory(operation, mine); });
  collective_->perform(operation, mine, of_several);
}

void Mover::know_created(const std::vector<AccessSummary>& shares, std::span<const AccessSummary> of_several) {
  if (terms_.files.mode != OpenMode::create) return;
  std::set<int> files;
  run_and_agree(comm_, [&] {
    for (const AccessSummary& share : shares) {
      files.insert(share.file);
      if (share.rank != comm_.rank() || have_file(of_several, share.file)) handles_->is_there(share.file);
    }
  });
  collective_->are_there(std::move(files));
}

void Mover::perform_direct(Operation operation, const AccessPlan& mine, std::span<const AccessSummary> of_several,
                           RequestBatch& phase, bool here) {
  const auto perform = [this, operation](std::span<const Extent> extents) {
    const int file = extents.front().file;
    handles_->get(file)->submit_extents(operation, extents);
    if (operation == Operation::write) handles_->written(file);
  };
  std::vector<std::span<const Extent>> tasks = direct_tasks(mine, of_several, terms_.threads);
  if (here) {
    phase.perform([&] {
      parallel_for(terms_.threads, static_cast<std::int64_t>(tasks.size()),
                   [&](std::int64_t task, int) { perform(tasks[static_cast<std::size_t>(task)]); });
    });
  } else {
    for (const std::span<const Extent> task : tasks) phase.start(*background_, [perform, task] { perform(task); });
  }
}

ExchangePlan Mover::course_of(Operation operation, const AccessPlan& mine, std::span<const AccessSummary> shares,
                              std::span<const AccessSummary> of_several, const PlanOfRank& plan_of_rank) {
  ExchangePlan course;
  // On a copy: who was elected must not differ between ranks after one of them failed.
  Election election;
  const auto found_out = [&] {
    std::vector<FileDomain> domains;
    if (exchanges()) {
      if (comm_.size() > 1 && !messages_) {
        const auto bytes = static_cast<std::size_t>(stages_->bytes_each());
        messages_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
        messages_bytes_ = bytes;
      }
      election = election_;
      domains = domains_of(shares, policy_, terms_.align_bytes, topology_, election);
    } else {
      for (const AccessSummary& share : access_summaries(mine, comm_.rank())) {
        if (!have_file(of_several, share.file)) domains.push_back({share.file, share.bounding_range, share.rank});
      }
    }
    if (!is_collective() || !domains.empty()) stages_->prepare(operation == Operation::read ? 2 : 1);
    course.writers = windows_of(domains, stages_->bytes_each(), terms_.align_bytes);
    course.cuts_files = do_cut_files(course.writers, domains);
  };
  if (!exchanges()) {
    found_out();
    return course;
  }
  run_and_agree(comm_, found_out);
  election_ = std::move(election);
  course.others = announced(comm_, mine, course.writers, plan_of_rank);
  course.of_others = course.others.owned();
  return course;
}

Schedule Mover::schedule_of(Operation operation, const AccessPlan& mine, const ExchangePlan& course) const {
  return {operation, comm_.rank(), course.writers, mine, course.of_others, stages_->bytes_each()};
}

}  // namespace sill
