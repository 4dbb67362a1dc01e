#include "sill/move/calls_in_flight.hpp"

#include <algorithm>
#include <iterator>

#include "sill/comm/agree.hpp"

namespace sill {
namespace {

// Returns true if a rank writes bytes of `now` that another one writes in `before`. The same on all ranks.
bool overlaps_on_other_rank(const WriteBatch& before, const WriteBatch& now) {
  using Writers = Policy::Writers;
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
}

}  // namespace

bool WriteCall::is_done() const {
  return std::ranges::all_of(batches, [](const WriteBatch& batch) { return batch.requests->finished(); });
}

std::optional<Error> WriteCall::wait() {
  std::optional<Error> first;
  for (WriteBatch& batch : batches) keep_first(first, batch.requests->wait());
  return first;
}

std::int64_t CallsInFlight::count_done() const {
  return std::distance(calls_.begin(), std::ranges::find_if_not(calls_, &WriteCall::is_done));
}

WriteCall& CallsInFlight::begin(FileSet& files) {
  WriteCall& call = calls_.emplace_back();
  call.files = &files;
  return call;
}

void CallsInFlight::collect(std::size_t max_left) {
  if (calls_.empty()) return;  // on all ranks
  std::optional<Error> failure;
  std::size_t left = calls_.size();
  for (WriteCall& call : calls_) {
    const bool must_end = left-- > max_left;
    if (failure || !(must_end || call.is_done())) continue;
    failure = call.wait();
  }
  try {
    agree(comm_, failure);
  } catch (...) {
    drop();
    throw;
  }
  while (calls_.size() > max_left) calls_.pop_front();
}

std::optional<Error> CallsInFlight::finish_oldest() {
  std::list<WriteCall> oldest;
  oldest.splice(oldest.end(), calls_, calls_.begin());
  WriteCall& call = oldest.front();
  std::optional<Error> failure = call.wait();
  keep_first(failure, attempt([&] { call.files->handles.close(); }));
  if (!failure && call.phase.closed) failure = attempt(call.phase.closed);
  try {
    agree(comm_, failure);
    call.files->together.close();
    run_on_rank(comm_, 0, [&] {
      if (call.phase.publish) call.phase.publish();
    });
  } catch (...) {
    const Error error = current_error();
    require_known_to_all(comm_, error);
    call.files->together.release();
    return error;
  }
  return std::nullopt;
}

void CallsInFlight::drop() {
  for (WriteCall& call : calls_) (void)call.wait();
  calls_.clear();
}

void CallsInFlight::wait_for_overlapping(const WriteBatch& now) {
  if (comm_.size() == 1) return;
  for (WriteCall& call : calls_) {
    for (const WriteBatch& batch : call.batches) {
      // The result is the same on all ranks, so all of them agree here.
      if (overlaps_on_other_rank(batch, now)) agree(comm_, call.wait());
    }
  }
}

void CallsInFlight::wait_for_jobs() {
  for (const WriteCall& call : calls_) {
    for (const WriteBatch& batch : call.batches) {
      if (batch.way == WriteWay::jobs) (void)batch.requests->wait();
    }
  }
}

}  // namespace sill
