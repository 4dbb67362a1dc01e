#include "sill/move/mover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/move/direct_requests.hpp"
#include "sill/plan/part.hpp"
#include "sill/plan/rows.hpp"

namespace sill {
namespace {

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

}  // namespace

Mover::Mover(Communicator& comm, MoverFiles files, const Policy& policy, const MoverLimits& limits) : comm_(comm) {
  take_policy(std::move(files), policy, limits);
}

void Mover::take_policy(MoverFiles files, const Policy& policy, const MoverLimits& limits) {
  terms_ = agreed_terms(comm_, std::move(files), policy, limits, striping_);
  policy_ = policy;
  run_and_agree(comm_, [&] {
    background_.reset();  // its threads end before what they use
    drains_.reset();
    files_.emplace(comm_, terms_, terms_.files.paths, terms_.files.mode, policy.is_durable());
    stages_.emplace(terms_.stage_bytes, terms_.max_stages);
  });
  background_.emplace(terms_.background_threads);
  drains_.emplace(terms_.burst ? 1 : 0);
}

std::optional<Error> Mover::use(const Policy& policy, const MoverLimits& limits) {
  if (policy == policy_) return std::nullopt;
  run_and_agree(comm_, [&] {
    if (policy.call == policy_.call && policy.async == policy_.async && policy.stripe_count == policy_.stripe_count &&
        policy.stripe_bytes == policy_.stripe_bytes && policy.burst == policy_.burst)
      return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("the policy of an output that has begun was changed from {} to {}",
                                        policy_.text(), policy.text()),
                 .action = "leave the axes call, async, striping and burst as they are"});
  });
  std::optional<Error> of_writes;
  // An error of writes under way prevents syncing and closing, which a second call does.
  for (bool is_closed = false; !is_closed;) {
    const std::optional<Error> error = attempt_together(comm_, [&] { close(); });
    is_closed = !error || of_writes;
    keep_first(of_writes, error);
  }
  MoverFiles files = terms_.files;  // which stay, should the policy be refused
  if (files.mode == OpenMode::create) files.mode = OpenMode::write_or_create;  // some are there by now
  take_policy(std::move(files), policy, limits);
  last_writes_ = {};
  last_call_.reset();
  election_ = {};
  messages_.reset();
  messages_bytes_ = 0;
  return of_writes;
}

Mover::~Mover() {
  for (Unfinished& call : in_flight_) (void)call.wait();
}

Mover::CallClock::Time Mover::CallClock::time() const {
  const auto all = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - at_).count();
  return {all, std::min<std::int64_t>(all, write_ns() - write_ns_at_start_)};
}

bool Mover::Unfinished::is_done() const {
  return std::ranges::all_of(batches, [](const Batch& batch) { return batch.requests->finished(); });
}

// All of them: jobs hold the files.
std::optional<Error> Mover::Unfinished::wait() {
  std::optional<Error> first;
  for (Batch& batch : batches) {
    keep_first(first, batch.requests->wait());
  }
  return first;
}

template <class Work>
void Mover::release_after_error(Work&& work) {
  const std::optional<Error> error = attempt_together(comm_, std::forward<Work>(work));
  if (!error) return;
  if (is_collective()) files_->together.release();
  throw Error(*error);
}

void Mover::write(const AccessPlan& mine, const PlanOfRank& plan_of_rank, Memory memory) {
  release_after_error([&] { perform_write({&mine, 1}, plan_of_rank, {}, memory); });
}

void Mover::write(std::span<const AccessPlan> one_by_one, const Opening& opening, Memory memory) {
  release_after_error([&] { perform_write(one_by_one, {}, opening, memory); });
}

void Mover::write_own(int file, std::int64_t offset_bytes, std::span<const std::byte> bytes) {
  write_at(*own_handle(file), offset_bytes, bytes);
}

void Mover::write_own(const AccessPlan& mine) {
  constexpr std::int64_t buffer_bytes = 256 << 10;  // stays in a core's cache
  std::vector<std::byte> packed;
  for (const Extent& extent : mine.extents()) {
    const std::shared_ptr<Store> handle = own_handle(extent.file);
    const std::int64_t total = extent.total_bytes();
    for (std::int64_t at = 0; at < total; at += buffer_bytes) {
      const ByteRange part{at, std::min(buffer_bytes, total - at)};
      packed.resize(static_cast<std::size_t>(part.length));
      pack({&extent, part}, packed);
      for_each_row(extent, part, [&](const Row& row) {
        for (std::int64_t i = 0; i < row.count; ++i) {
          write_at(*handle, row.file_offset_bytes + i * row.file_stride_bytes,
                   std::span(packed).subspan(static_cast<std::size_t>(row.packed_offset_bytes - at + i * row.run_bytes),
                                             static_cast<std::size_t>(row.run_bytes)));
        }
      });
    }
  }
}

std::shared_ptr<Store> Mover::own_handle(int file) {
  std::shared_ptr<Store> handle = files_->handles.get(file);
  if (files_->mode != OpenMode::read) files_->handles.written(file);
  return handle;
}

void Mover::read(const AccessPlan& mine, const PlanOfRank& plan_of_rank) {
  release_after_error([&] { perform_read(mine, plan_of_rank); });
}

void Mover::wait() {
  std::optional<Error> first;
  while (!in_flight_.empty() && in_flight_.front().of_phase) {
    keep_first(first, finish_oldest());
  }
  if (first) throw Error(*first);
  release_after_error([&] { collect(0); });
}

// One reduction: the lowest rank with an error, what must be equal, the number of rank 0, and for each plan the
// distance from the last write in its place. Distances of all ranks agree if the least is the greatest; an empty plan
// matches any.
Mover::Opened Mover::open_write(std::span<const AccessPlan> plans, const Opening& opening, Memory memory,
                                bool is_of_rank) {
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  std::optional<Error> error = opening.error;
  if (!error) {
    error = attempt([&] {
      for (const AccessPlan& plan : plans) require_memory(Operation::write, plan);
    });
  }
  constexpr std::size_t fixed = 8;
  std::array<std::int64_t, fixed + 2 * std::tuple_size_v<decltype(last_writes_)>> record;
  record.fill(never);
  record[0] = error ? comm_.rank() : comm_.size();
  record[1] = opening.equal;
  record[2] = -opening.equal;
  record[3] = comm_.rank() == 0 ? opening.of_root : any;
  record[4] = std::distance(in_flight_.begin(), std::ranges::find_if_not(in_flight_, &Unfinished::is_done));
  record[5] = last_call_ ? -last_call_->all_ns : 0;
  record[6] = last_call_ ? -last_call_->requests_ns : 0;
  record[7] = opening.is_unchanged ? 1 : 0;
  for (std::size_t i = 0; i < plans.size() && !error; ++i) {
    const std::optional<std::int64_t> distance =
        last_writes_[i].distance_to(plans[i], way_of(last_writes_[i].decision, plans[i], memory, is_of_rank));
    if (!distance) continue;
    record[fixed + 2 * i] = plans[i].empty() ? any : *distance;
    record[fixed + 2 * i + 1] = plans[i].empty() ? any : -*distance;
  }
  comm_.all_reduce(record, Reduction::min);
  if (record[0] < comm_.size()) agree(comm_, error);
  if (record[1] != -record[2] && opening.unequal) agree(comm_, opening.unequal(record[1], -record[2]));
  Opened opened{{}, {record[3], record[7] == 1}, record[4], CallClock(terms_.files.meter)};
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::int64_t least = record[fixed + 2 * i];
    const bool is_known = least != never && (least == any || least == -record[fixed + 2 * i + 1]);
    opened.distances.push_back(is_known ? std::optional(least == any ? 0 : least) : std::nullopt);
  }
  const bool is_like_last = std::ranges::all_of(opened.distances, &std::optional<std::int64_t>::has_value);
  if (chooses(is_of_rank) && !plans.empty()) {
    const auto seconds = [](std::int64_t negative_ns) { return -1e-9 * static_cast<double>(negative_ns); };
    std::optional<WriteTime> last;
    if (last_call_) last = {seconds(record[5]), seconds(record[6])};
    if (terms_.files.chooser->begin_write(last, is_like_last)) opened.distances.assign(plans.size(), std::nullopt);
  }
  last_call_.reset();
  return opened;
}

void Mover::perform_write(std::span<const AccessPlan> plans, const PlanOfRank& plan_of_rank, const Opening& opening,
                          Memory memory) {
  collect(static_cast<std::size_t>(std::max(0, policy_.async - 1)));
  const Opened opened = open_write(plans, opening, memory, false);
  Unfinished& call = in_flight_.emplace_back();
  call.files = &*files_;
  try {
    begin_call(call, plans, plan_of_rank, memory, opened);
  } catch (...) {
    for (Unfinished& each : in_flight_) (void)each.wait();
    in_flight_.clear();
    throw;
  }
  if (policy_.async > 0) return;
  in_flight_.clear();
  last_call_ = opened.clock.time();
}

void Mover::begin_call(Unfinished& call, std::span<const AccessPlan> plans, const PlanOfRank& plan_of_rank,
                       Memory memory, const Opened& opened) {
  const auto is_trial = [&] { return chooses(call.files->is_of_rank) && terms_.files.chooser->is_trial(); };
  const auto begin = [&](bool is_again) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      begin_batch(call, i, plans[i], plan_of_rank, memory, is_again ? std::nullopt : opened.distances[i]);
      // The requests of a phase with files of its own are agreed on when it ends, unless they may have to be repeated.
      if (policy_.async == 0 && (!call.of_phase || is_trial())) agree(comm_, call.wait());
    }
  };
  if (!is_trial() || policy_.async > 0) return begin(false);
  try {
    begin(false);
  } catch (const Error& error) {
    require_known_to_all(comm_, error);
    if (!is_trial()) throw;
    (void)call.wait();
    call.batches.clear();
    terms_.files.chooser->fall_back(error);
    last_writes_ = {};
    begin(true);
  }
}

bool Mover::write_phase(const AccessPlan& mine, const Opening& opening, bool is_of_rank,
                        const std::function<PhaseFiles(const Agreed& agreed)>& make, Memory memory,
                        std::optional<Error>& first) {
  const bool is_full = in_flight_.size() >= static_cast<std::size_t>(std::max(1, policy_.async));
  if (is_full) keep_first(first, finish_oldest());
  std::list<Unfinished> begun(1);
  Unfinished& call = begun.front();
  std::optional<CallClock> clock;
  try {
    const Opened opened = open_write({&mine, 1}, opening, memory, is_of_rank);
    if (opened.done > 0 && !is_full) keep_first(first, finish_oldest());  // one a call, as one begins
    PhaseFiles files = make(opened.agreed);
    call.closed = std::move(files.closed);
    call.publish = std::move(files.publish);
    call.holds = std::move(files.holds);
    call.of_phase =
        std::make_unique<FileSet>(comm_, terms_, std::move(files.paths), files.mode, policy_.is_durable(), is_of_rank);
    call.files = call.of_phase.get();
    clock = opened.clock;
    begin_call(call, {&mine, 1}, {}, memory, opened);
  } catch (...) {
    const Error error = current_error();
    require_known_to_all(comm_, error);
    (void)call.wait();
    if (call.of_phase && is_collective()) call.of_phase->together.release();
    keep_first(first, error);
    return false;
  }
  in_flight_.splice(in_flight_.end(), begun);
  if (policy_.async > 0) return true;
  const std::optional<Error> failure = finish_oldest();
  keep_first(first, failure);
  if (!failure && chooses(is_of_rank)) last_call_ = clock->time();
  return !failure;
}

std::optional<Error> Mover::finish_oldest() {
  std::list<Unfinished> oldest;
  oldest.splice(oldest.end(), in_flight_, in_flight_.begin());
  Unfinished& call = oldest.front();
  std::optional<Error> failure = call.wait();
  keep_first(failure, attempt([&] { call.files->handles.close(); }));
  if (!failure && call.closed) failure = attempt(call.closed);
  try {
    agree(comm_, failure);
    if (is_collective()) call.files->together.close();
    run_on_rank(comm_, 0, [&] {
      if (call.publish) call.publish();
    });
  } catch (...) {
    const Error error = current_error();
    require_known_to_all(comm_, error);
    if (is_collective()) call.files->together.release();
    return error;
  }
  return std::nullopt;
}

void Mover::begin_batch(Unfinished& call, std::size_t turn, const AccessPlan& mine, const PlanOfRank& plan_of_rank,
                        Memory memory, std::optional<std::int64_t> distance) {
  LastWrite& last = last_writes_[turn];
  FileSet& files = *call.files;
  const bool is_collective = this->is_collective() && !files.is_of_rank;
  if (!distance) plan_anew(files, turn, mine, plan_of_rank);
  const WriteWay fresh = way_of(last.decision, mine, memory, files.is_of_rank);
  if (!distance) last.is_direct = fresh == WriteWay::direct;
  last.is_known = false;
  if (is_collective) perform_together(files, Operation::write, mine, last.decision.together);
  if (is_collective && !distance) know_created(files, last.summaries, last.decision.together);
  const WriteWay way = fresh == WriteWay::copied && distance ? WriteWay::again : fresh;
  // Jobs would wait for stages that this call holds for later rounds. Errors are collected by the next call.
  const bool takes_stages = way == WriteWay::copied || way == WriteWay::again || way == WriteWay::lent;
  for (const Unfinished& before : in_flight_) {
    for (const Batch& batch : before.batches) {
      if (takes_stages && batch.way == WriteWay::jobs) (void)batch.requests->wait();
    }
  }
  if (!distance && mine.extents().size() <= max_cached) last.plan = mine;

  const bool is_phase = call.of_phase != nullptr;
  const bool syncs = policy_.sync == Policy::Sync::phase || (is_phase && policy_.is_durable());
  Batch begun = batch_of(files, way, last, mine, distance, syncs);
  if (policy_.async > 0 && !is_phase) wait_for_overlapping_writes(begun);
  Batch& batch = call.batches.emplace_back(std::move(begun));
  bool may_cache = false;
  try {
    background_->begin_batch();
    may_cache = begin_requests(files, batch, last, mine, distance, plan_of_rank);
  } catch (...) {
    if (last.decision.exchanges) {
      batch.requests->seal();
      throw;
    }
    batch.requests->fail(current_error());  // this rank's own: to be agreed on like those of its requests
  }
  if (may_cache && !batch.requests->has_failed()) {
    last.is_known = true;
  } else {
    last = {};
  }
  if (files.burst) drain_behind(files, *batch.requests);
  batch.requests->seal();
  if (is_collective && syncs) files.together.sync();
}

void Mover::drain_behind(FileSet& files, RequestBatch& requests) {
  files.burst->end_call();
  drains_->begin_batch();
  requests.start(*drains_, [&files] { files.burst->drain(); });
}

void Mover::plan_anew(const FileSet& files, std::size_t turn, const AccessPlan& mine, const PlanOfRank& plan_of_rank) {
  LastWrite& last = last_writes_[turn];
  last = {};
  last.summaries =
      files.is_of_rank ? access_summaries(mine, comm_.rank()) : all_access_summaries(comm_, mine, plan_of_rank);
  last.decision = decide_on(Operation::write, last.summaries, files.is_of_rank, turn);
  // Where ranks send each other bytes, the writers see it in what they are sent.
  if (!files.is_of_rank && !last.decision.exchanges) require_disjoint_ranks(comm_, mine, last.summaries, plan_of_rank);
}

Mover::Batch Mover::batch_of(FileSet& files, WriteWay way, const LastWrite& last, const AccessPlan& mine,
                             std::optional<std::int64_t> distance, bool syncs) const {
  Batch batch;
  batch.way = way;
  // MPI-IO would copy pieces together. Of lent memory only longer runs that go without a stage, and what jobs encode,
  // are taken after the call (Memory::lent).
  batch.memory_stays = policy_.call == Policy::Call::posix && policy_.takes_memory_at_once();
  batch.writers = last.decision.policy.writers;
  batch.requests = std::make_shared<RequestBatch>([&files, syncs] {
    if (syncs) files.handles.sync_written();
  });
  if (policy_.async == 0) return batch;
  const bool is_kept = way == WriteWay::direct || way == WriteWay::lent || way == WriteWay::jobs;
  if (is_kept && !policy_.takes_memory_at_once()) batch.plan = mine;
  batch.summaries = last.summaries;
  for (AccessSummary& summary : batch.summaries) summary.bounding_range.offset += distance.value_or(0);
  return batch;
}

void Mover::perform_read(const AccessPlan& mine, const PlanOfRank& plan_of_rank) {
  collect(0);
  const auto requests = run_and_agree(comm_, [&] {
    require_memory(Operation::read, mine);
    return std::make_shared<RequestBatch>(nullptr);
  });
  const bool needs_all = policy_.writers != Policy::Writers::all || chooses(false) || is_collective();
  const Decision decision = decide_on(
      Operation::read,
      needs_all ? all_access_summaries(comm_, mine, plan_of_rank) : access_summaries(mine, comm_.rank()), false, 0);
  if (is_collective()) perform_together(*files_, Operation::read, mine, decision.together);
  try {
    background_->begin_batch();
    if (is_direct(decision, mine, true, false)) {
      perform_direct(tools(*files_, Operation::read), Operation::read, mine, decision.together, *requests, true);
    } else {
      prepare_rounds(Operation::read, decision);
      PlansOfOthers others;
      if (decision.exchanges) others = exchange_access_lists(comm_, mine, decision.writers, plan_of_rank);
      const std::vector<OwnedPlan> of_others = others.owned();
      read_rounds(tools(*files_, Operation::read),
                  {Operation::read, comm_.rank(), decision.writers, mine, of_others, stages_->bytes_each()}, *requests);
    }
  } catch (...) {
    if (decision.exchanges) {
      requests->seal();
      (void)requests->wait();
      throw;
    }
    requests->fail(current_error());
  }
  requests->seal();
  agree(comm_, requests->wait());
}

void Mover::close() {
  wait();
  // Closed also where syncing failed: a second sync would not report the error again.
  std::optional<Error> failure;
  if (policy_.is_durable()) failure = attempt([&] { files_->handles.sync_written(); });
  close_files(failure);
}

void Mover::share() {
  wait();
  close_files({});
}

void Mover::close_files(const std::optional<Error>& failure) {
  const std::optional<Error> closing = attempt([&] { files_->handles.close(); });
  const std::optional<Error> of_all = is_collective() ? attempt([&] { files_->together.close(); }) : std::nullopt;
  agree(comm_, failure ? failure : closing);
  if (of_all) throw Error(*of_all);
}

bool Mover::is_done() const { return std::ranges::all_of(in_flight_, &Unfinished::is_done); }

MoveCounts Mover::counts() const {
  MoveCounts counts = counts_;
  counts.buffer_bytes = stages_->made() * stages_->bytes_each() + static_cast<std::int64_t>(messages_bytes_);
  return counts;
}

bool Mover::begin_requests(FileSet& files, Batch& batch, LastWrite& last, const AccessPlan& mine,
                           std::optional<std::int64_t> distance, const PlanOfRank& plan_of_rank) {
  const bool here = policy_.takes_memory_at_once();
  WriteTerms terms{.here = here, .memory_stays = batch.memory_stays};
  const bool may_cache = distance || mine.extents().size() <= max_cached;
  const auto schedule_for = [&](const AccessPlan& plan) {
    const Decision& decision = last.decision;
    if (!distance) {
      prepare_rounds(Operation::write, decision);
      if (decision.exchanges) last.others = exchange_access_lists(comm_, plan, decision.writers, plan_of_rank);
      last.of_others = last.others.owned();
    }
    return Schedule(Operation::write, comm_.rank(), decision.writers, plan, last.of_others, stages_->bytes_each());
  };
  switch (batch.way) {
    case WriteWay::direct:
      if (!here && !mine.empty() && is_short_run(mine)) {
        const Extent& run = mine.extents().front();
        batch.short_run.assign(run.memory, run.memory + run.run_bytes);
        batch.plan =
            AccessPlan::for_writing({contiguous(run.file, {run.offset_bytes, run.run_bytes}, batch.short_run.data())});
      }
      perform_direct(tools(files, Operation::write), Operation::write, here ? mine : batch.plan, last.decision.together,
                     *batch.requests, here);
      return may_cache;
    case WriteWay::again:
      last.plan.take_memory_of(mine);
      write_rounds_again(tools(files, Operation::write), *last.rounds, *distance, *batch.requests, terms);
      return true;
    case WriteWay::jobs:
    case WriteWay::lent: {
      const Schedule schedule = schedule_for(batch.plan);  // which takes the room for messages that `tools` has
      write_lent_rounds(tools(files, Operation::write), schedule, batch.way == WriteWay::jobs, *batch.requests);
      return may_cache;
    }
    case WriteWay::copied: {
      const Schedule schedule = schedule_for(may_cache ? last.plan : mine);
      if (may_cache) terms.max_cached_entries = max_cached;
      last.rounds = write_rounds(tools(files, Operation::write), schedule, *batch.requests, terms);
      return may_cache && last.rounds;
    }
  }
  return false;
}

void Mover::collect(std::size_t max_in_flight) {
  if (in_flight_.empty()) return;  // on all ranks: they began the same calls
  std::optional<Error> failure;
  std::size_t left = in_flight_.size();
  for (Unfinished& call : in_flight_) {
    const bool must_end = left-- > max_in_flight;
    if (failure || !(must_end || call.is_done())) continue;
    failure = call.wait();
  }
  try {
    agree(comm_, failure);
  } catch (...) {
    for (Unfinished& call : in_flight_) (void)call.wait();
    in_flight_.clear();
    throw;
  }
  while (in_flight_.size() > max_in_flight) in_flight_.pop_front();
}

// A rank performs its requests in the order of the calls. Where another rank wrote the same bytes in a call that may
// not be finished, all wait for it.
void Mover::wait_for_overlapping_writes(const Batch& now) {
  if (comm_.size() == 1) return;
  using Writers = Policy::Writers;
  const auto overlaps = [&](const Batch& before) {
    const bool is_alike = before.writers == now.writers;
    if (is_alike && (now.writers == Writers::root || now.writers == Writers::elected)) return false;
    const bool by_owner = is_alike && now.writers == Writers::all;
    for (const AccessSummary& summary : now.summaries) {
      const auto of_file = std::ranges::lower_bound(before.summaries, summary.file, {}, &AccessSummary::file);
      for (auto other = of_file; other != before.summaries.end() && other->file == summary.file; ++other) {
        if (by_owner && other->rank == summary.rank) continue;
        if (other->bounding_range.end() > summary.bounding_range.offset &&
            summary.bounding_range.end() > other->bounding_range.offset) {
          return true;
        }
      }
    }
    return false;
  };
  for (Unfinished& call : in_flight_) {
    for (Batch& batch : call.batches) {
      // The same on all ranks. Errors are collected by the next call.
      if (overlaps(batch)) agree(comm_, call.wait());
    }
  }
}

Decision Mover::decide_on(Operation operation, std::span<const AccessSummary> summaries, bool is_of_rank,
                          std::size_t place_in_call) {
  const std::span<const int> nodes = comm_.node_of_ranks();
  const Policy made = chooses(is_of_rank)
                          ? terms_.files.chooser->choose(policy_, {.operation = operation,
                                                                   .summaries = summaries,
                                                                   .node_of_ranks = nodes,
                                                                   .core_share = terms_.core_share,
                                                                   .max_stage_bytes = terms_.stage_bytes,
                                                                   .file_system = terms_.file_system,
                                                                   .device = terms_.device,
                                                                   .stripes = terms_.stripes,
                                                                   .elected = &election_,
                                                                   .place_in_call = place_in_call})
                          : policy_.plainest();
  const DecisionLimits limits = terms_.limits_of(made, nodes);
  if (is_of_rank) return decide_alone(made, summaries, limits);
  return decide(made, comm_.rank(), summaries, limits, election_);
}

void Mover::prepare_rounds(Operation operation, const Decision& decision) {
  const auto prepare = [&] {
    if (decision.exchanges && !messages_) {
      const auto bytes = static_cast<std::size_t>(stages_->bytes_each());
      messages_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      messages_bytes_ = bytes;
    }
    if (!is_collective() || !decision.writers.empty()) stages_->prepare(operation == Operation::read ? 2 : 1);
  };
  if (!decision.exchanges) return prepare();
  run_and_agree(comm_, prepare);
}

WriteWay Mover::way_of(const Decision& decision, const AccessPlan& mine, Memory memory, bool is_of_rank) const {
  const bool stay = policy_.takes_memory_at_once() || memory == Memory::lent;
  if (is_direct(decision, mine, stay, is_of_rank)) return WriteWay::direct;
  // What only lies in memory is put into stages at once, and is free then.
  const bool may_wait = !policy_.takes_memory_at_once() && memory == Memory::lent;
  if (!may_wait || std::ranges::none_of(mine.extents(), &Extent::is_for_threads)) return WriteWay::copied;
  return decision.exchanges || std::ranges::any_of(mine.extents(), &Extent::is_for_caller) ? WriteWay::lent
                                                                                           : WriteWay::jobs;
}

void Mover::perform_together(FileSet& files, Operation operation, const AccessPlan& mine,
                             std::span<const AccessSummary> together) {
  if (together.empty()) return;  // on all ranks
  files.together.perform(operation, mine, together);
}

void Mover::know_created(FileSet& files, const std::vector<AccessSummary>& summaries,
                         std::span<const AccessSummary> together) {
  if (files.mode != OpenMode::create) return;
  std::set<int> created;
  run_and_agree(comm_, [&] {
    for (const AccessSummary& summary : summaries) {
      created.insert(summary.file);
      if (summary.rank != comm_.rank() || touches(together, summary.file)) files.handles.set_exists(summary.file);
    }
  });
  files.together.set_exist(std::move(created));
}

}  // namespace sill