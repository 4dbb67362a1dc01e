#include "sill/move/plan_writer.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/move/direct_requests.hpp"

namespace sill {

PlanRepeat PlanWriter::repeat_of(std::size_t place, const AccessPlan& mine, Memory memory, bool is_of_rank) const {
  const LastWrite& last = last_writes_[place];
  return {last.distance_to(mine, way_of(last.decision, mine, memory, is_of_rank)), mine.empty()};
}

void PlanWriter::begin(const PlanToWrite& plan, WriteCall& call, CallsInFlight& in_flight) {
  const Policy& policy = resources_.policy();
  LastWrite& last = last_writes_[plan.place];
  FileSet& files = *call.files;
  if (!plan.distance_bytes) plan_anew(plan);
  const WriteWay fresh = way_of(last.decision, plan.mine, plan.memory, plan.is_of_rank);
  if (!plan.distance_bytes) last.is_direct = fresh == WriteWay::direct;
  last.is_known = false;
  if (!last.decision.together.empty()) files.together.perform(Operation::write, plan.mine, last.decision.together);
  if (!plan.distance_bytes) know_created(plan, files, last);
  const WriteWay way = fresh == WriteWay::copied && plan.distance_bytes ? WriteWay::again : fresh;
  // Otherwise jobs would wait for stages that this call needs for later rounds.
  if (way == WriteWay::copied || way == WriteWay::again || way == WriteWay::lent) in_flight.wait_for_jobs();
  if (!plan.distance_bytes && plan.mine.extents().size() <= max_cached) last.plan = plan.mine;

  const bool is_phase = call.of_phase != nullptr;
  const bool syncs = policy.sync == Policy::Sync::phase || (is_phase && policy.is_durable());
  WriteBatch begun = make_batch(plan, files, way, syncs);
  if (policy.async > 0 && !is_phase) in_flight.wait_for_overlapping(begun);
  WriteBatch& batch = call.batches.emplace_back(std::move(begun));
  bool may_cache = false;
  try {
    resources_.background().begin_batch();
    may_cache = begin_requests(plan, files, batch);
  } catch (...) {
    if (last.decision.exchanges) {
      batch.requests->seal();
      throw;
    }
    batch.requests->fail(current_error());  // an error of this rank, agreed on like the errors of its requests
  }
  if (may_cache && !batch.requests->has_failed()) {
    last.is_known = true;
  } else {
    last = {};
  }
  if (files.burst) drain_behind(files, *batch.requests);
  batch.requests->seal();
  if (syncs) files.together.sync();
}

WriteWay PlanWriter::way_of(const Decision& decision, const AccessPlan& mine, Memory memory, bool is_of_rank) const {
  const bool takes_at_once = resources_.policy().takes_memory_at_once();
  const bool stays = takes_at_once || memory == Memory::lent;
  if (is_direct(decision, mine, stays, is_of_rank)) return WriteWay::direct;
  // Bytes of extents without an encoder are copied into stages immediately, and their memory is then free.
  const bool may_wait = !takes_at_once && memory == Memory::lent;
  if (!may_wait || std::ranges::none_of(mine.extents(), &Extent::is_for_threads)) return WriteWay::copied;
  return decision.exchanges || std::ranges::any_of(mine.extents(), &Extent::is_for_caller) ? WriteWay::lent
                                                                                           : WriteWay::jobs;
}

void PlanWriter::plan_anew(const PlanToWrite& plan) {
  Communicator& comm = resources_.comm();
  LastWrite& last = last_writes_[plan.place];
  last = {};
  if (plan.is_of_rank) {
    last.summaries = access_summaries(plan.mine, comm.rank());
  } else if (plan.plan_of_rank) {
    last.summaries.assign(plan.summaries.begin(), plan.summaries.end());
  } else {
    last.summaries = all_access_summaries(comm, plan.mine);
  }
  last.decision = resources_.decide_on(Operation::write, last.summaries, plan.is_of_rank, plan.place);
  // If ranks send each other bytes, the writers detect overlaps in the access lists that they receive.
  if (plan.is_of_rank || last.decision.exchanges) return;
  require_disjoint_ranks(comm, plan.mine, last.summaries, plan.plan_of_rank);
}

// Creates a batch without requests. With `syncs` its files are synced once all requests are done.
WriteBatch PlanWriter::make_batch(const PlanToWrite& plan, FileSet& files, WriteWay way, bool syncs) const {
  const Policy& policy = resources_.policy();
  const LastWrite& last = last_writes_[plan.place];
  WriteBatch batch;
  batch.way = way;
  // MPI-IO would copy the pieces into one buffer. Of lent memory, only longer runs without a stage and bytes that jobs
  // encode are read after the call (Memory::lent).
  batch.memory_stays = policy.call == Policy::Call::posix && policy.takes_memory_at_once();
  batch.writers = last.decision.policy.writers;
  batch.requests = std::make_shared<RequestBatch>([&files, syncs] {
    if (syncs) files.handles.sync_written();
  });
  if (policy.async == 0) return batch;
  const bool is_kept = way == WriteWay::direct || way == WriteWay::lent || way == WriteWay::jobs;
  if (is_kept && !policy.takes_memory_at_once()) batch.plan = plan.mine;
  if (!plan.is_of_rank) batch.summaries = last.summaries;  // which all ranks know
  for (AccessSummary& summary : batch.summaries) summary.bounding_range.offset += plan.distance_bytes.value_or(0);
  return batch;
}

bool PlanWriter::begin_requests(const PlanToWrite& plan, FileSet& files, WriteBatch& batch) {
  const AccessPlan& mine = plan.mine;
  LastWrite& last = last_writes_[plan.place];
  const bool here = resources_.policy().takes_memory_at_once();
  WriteTerms terms{.here = here, .memory_stays = batch.memory_stays};
  const bool may_cache = plan.distance_bytes || mine.extents().size() <= max_cached;
  const auto schedule_for = [&](const AccessPlan& scheduled) {
    const Decision& decision = last.decision;
    if (!plan.distance_bytes) {
      resources_.prepare_rounds(Operation::write, decision);
      if (decision.exchanges) {
        last.others = exchange_access_lists(resources_.comm(), scheduled, decision.writers, plan.plan_of_rank);
      }
      last.of_others = last.others.owned();
    }
    return Schedule(Operation::write, resources_.comm().rank(), decision.writers, scheduled, last.of_others,
                    resources_.stage_bytes());
  };
  switch (batch.way) {
    case WriteWay::direct:
      if (!here && !mine.empty() && is_short_run(mine)) {
        const Extent& run = mine.extents().front();
        batch.short_run.assign(run.memory, run.memory + run.run_bytes);
        batch.plan =
            AccessPlan::for_writing({contiguous(run.file, {run.offset_bytes, run.run_bytes}, batch.short_run.data())});
      }
      perform_direct(resources_.tools(files, Operation::write), Operation::write, here ? mine : batch.plan,
                     last.decision.together, *batch.requests, here);
      return may_cache;
    case WriteWay::again:
      last.plan.take_memory_of(mine);
      write_rounds_again(resources_.tools(files, Operation::write), *last.rounds, *plan.distance_bytes, *batch.requests,
                         terms);
      return true;
    case WriteWay::jobs:
    case WriteWay::lent: {
      const Schedule schedule = schedule_for(batch.plan);
      write_lent_rounds(resources_.tools(files, Operation::write), schedule, batch.way == WriteWay::jobs,
                        *batch.requests);
      return may_cache;
    }
    case WriteWay::copied: {
      const Schedule schedule = schedule_for(may_cache ? last.plan : mine);
      if (may_cache) terms.max_cached_entries = max_cached;
      last.rounds = write_rounds(resources_.tools(files, Operation::write), schedule, *batch.requests, terms);
      return may_cache && last.rounds;
    }
  }
  return false;
}

// Collective. Marks files that exist now, or when this write is done, so that they are not created again.
void PlanWriter::know_created(const PlanToWrite& plan, FileSet& files, const LastWrite& last) {
  if (!resources_.is_collective() || plan.is_of_rank || files.mode != OpenMode::create) return;
  std::set<int> created;
  run_and_agree(resources_.comm(), [&] {
    for (const AccessSummary& summary : last.summaries) {
      created.insert(summary.file);
      if (summary.rank != resources_.comm().rank() || touches(last.decision.together, summary.file)) {
        files.handles.set_exists(summary.file);
      }
    }
  });
  files.together.set_exist(std::move(created));
}

// Copies the written bytes from the log to the files in the background.
void PlanWriter::drain_behind(FileSet& files, RequestBatch& requests) {
  files.burst->end_call();
  resources_.drains().begin_batch();
  requests.start(resources_.drains(), [&files] { files.burst->drain(); });
}

}  // namespace sill
