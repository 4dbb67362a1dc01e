#include "sill/move/rounds.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/move/own_runs.hpp"
#include "sill/move/round_threads.hpp"
#include "sill/move/segments.hpp"

namespace sill {
namespace {

// A round in progress and its stage.
struct Filling {
  const Round& round;
  std::shared_ptr<std::byte[]> stage;

  [[nodiscard]] Image image_of(const StagedPart& part) const { return sill::image_of(round, part, stage.get()); }
};

// Appends the memory of a request: own runs at their addresses, all other bytes in the stage.
void add_pieces(const Segment& request, std::byte* stage, std::span<const OwnRun> own, std::vector<iovec>& pieces) {
  if (own.empty()) {
    pieces.push_back({stage + request.stage_offset_bytes, static_cast<std::size_t>(request.bytes.length)});
    return;
  }
  const std::size_t first_piece = pieces.size();
  std::int64_t at = request.bytes.offset;
  const auto add_up_to = [&](std::int64_t end, std::byte* from) {
    if (at == end) return;
    const auto bytes = static_cast<std::size_t>(end - at);
    at = end;
    append_piece(pieces, from, bytes, first_piece);
  };
  const auto in_stage = [&] { return stage + request.stage_offset_bytes + (at - request.bytes.offset); };
  auto run = std::ranges::lower_bound(own, std::pair(request.file, at), {},
                                      [](const OwnRun& each) { return std::pair(each.file, each.bytes.offset); });
  for (; run != own.end() && run->file == request.file && run->bytes.offset < request.bytes.end(); ++run) {
    add_up_to(run->bytes.offset, in_stage());
    add_up_to(run->bytes.end(), run->memory);
  }
  add_up_to(request.bytes.end(), in_stage());
}

// Submits the requests for one file together to its store, at most `max_requests` at once.
void perform_requests(HandleCache& handles, Operation operation, std::span<const Segment> wanted, std::byte* stage,
                      std::span<const OwnRun> own = {}) {
  constexpr std::size_t max_requests = 256;
  std::vector<iovec> pieces;
  std::array<std::size_t, max_requests> ends;  // end of the pieces of each request
  std::array<Request, max_requests> requests;
  for (std::size_t begin = 0; begin < wanted.size();) {
    const int file = wanted[begin].file;
    std::size_t count = 0;
    pieces.clear();
    for (std::size_t i = begin; i < wanted.size() && wanted[i].file == file && count < max_requests; ++i, ++count) {
      add_pieces(wanted[i], stage, own, pieces);
      ends[count] = pieces.size();
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t first = i == 0 ? 0 : ends[i - 1];
      requests[i] = {operation, wanted[begin + i].bytes.offset, std::span(pieces).subspan(first, ends[i] - first)};
    }
    handles.get(file)->submit(std::span(requests).first(count));
    if (operation == Operation::write) handles.set_written(file);
    begin += count;
  }
}

// A message of a round, and the location of its bytes on this rank.
struct MessageBuffer {
  const Message* planned = nullptr;
  bool outwards = false;
  std::tuple<int, int> writer_and_owner;
  std::span<std::byte> bytes = {};
  bool direct = false;  // sent or received without a copy
};

std::vector<MessageBuffer> messages_of(const Round& round, int rank) {
  std::vector<MessageBuffer> messages;
  for (const Message& message : round.outwards) messages.push_back({&message, true, {message.peer, rank}});
  for (const Message& message : round.inwards) messages.push_back({&message, false, {rank, message.peer}});
  std::stable_sort(messages.begin(), messages.end(), [](const MessageBuffer& a, const MessageBuffer& b) {
    return a.writer_and_owner < b.writer_and_owner;
  });
  return messages;
}

class Exchange {
 public:
  Exchange(const RoundTools& tools, Operation operation, const Filling& filling, RequestBatch& batch)
      : tools_(tools), operation_(operation), filling_(filling), batch_(batch) {}

  // Exchanges all messages in the order that all ranks use, as many at once as fit in the buffer.
  void run() {
    std::vector<MessageBuffer> messages = messages_of(filling_.round, tools_.comm.rank());
    for (auto begin = messages.begin(); begin != messages.end();) {
      std::size_t used = 0;
      auto end = begin;
      for (; end != messages.end(); ++end) {
        if (place_directly(*end)) continue;
        const auto length = static_cast<std::size_t>(end->planned->bytes);
        if (used + length > tools_.messages.size()) break;
        end->bytes = tools_.messages.subspan(used, length);
        used += length;
      }
      exchange({begin, end});
      begin = end;
    }
  }

 private:
  bool place_directly(MessageBuffer& message) const {
    if (message.planned->parts.size() != 1) return false;
    const StagedPart& part = message.planned->parts.front();
    const auto length = static_cast<std::size_t>(message.planned->bytes);
    if (message.outwards) {
      message.direct = is_contiguous_in_memory(part);
      if (message.direct) message.bytes = {memory_of(part), length};
    } else {
      message.direct = is_contiguous_in_file(part);
      if (message.direct) {
        const Image image = filling_.image_of(part);
        message.bytes = {image.memory + part.extent->file_offset_of(part.packed.offset) - image.bytes.offset, length};
      }
    }
    return message.direct;
  }

  void exchange(std::span<MessageBuffer> messages) {
    std::vector<Outgoing> sends;
    std::vector<Incoming> receives;
    for (MessageBuffer& message : messages) {
      const int peer = message.planned->peer;
      if (is_sent(message)) {
        if (!message.direct) copy(message);
        sends.push_back({peer, message.bytes});
        ++tools_.counts.messages;
        tools_.counts.message_bytes += message.planned->bytes;
      } else {
        receives.push_back({peer, message.bytes});
      }
    }
    tools_.comm.exchange(sends, receives);
    for (MessageBuffer& message : messages) {
      if (!is_sent(message) && !message.direct) copy(message);
    }
  }

  [[nodiscard]] bool is_sent(const MessageBuffer& message) const {
    return message.outwards == (operation_ == Operation::write);
  }

  // Copies between a message and its bytes in memory or in the stage. After a failure the message contains wrong bytes,
  // but then the error ends the entire operation.
  void copy(MessageBuffer& message) {
    tools_.counts.copied_bytes += message.planned->bytes;
    if (message.outwards && operation_ == Operation::write) {
      batch_.fail(attempt([&] { pack_all(message); }));
      return;
    }
    batch_.fail(attempt([&] {
      const PrepareTimer timer(tools_.meter);
      std::size_t done = 0;
      for (const StagedPart& part : message.planned->parts) {
        const std::span<std::byte> bytes = message.bytes.subspan(done, static_cast<std::size_t>(part.packed.length));
        if (message.outwards) {
          unpack(part, bytes);
        } else {
          operation_ == Operation::write ? packed_to_image(part, bytes, filling_.image_of(part))
                                         : image_to_packed(part, filling_.image_of(part), bytes);
        }
        done += bytes.size();
      }
    }));
  }

  void pack_all(const MessageBuffer& message) const {
    const std::span<const StagedPart> parts = message.planned->parts;
    std::vector<std::int64_t> begins;  // start of each part in the message
    std::int64_t end = 0;
    for (const StagedPart& part : parts) {
      begins.push_back(end);
      end += part.packed.length;
    }
    by_threads(tools_.threads, parts, [&](const Part& piece, std::size_t i) {
      const PrepareTimer timer(tools_.meter);
      const std::int64_t begin = begins[i] + piece.packed.offset - parts[i].packed.offset;
      pack(piece,
           message.bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(piece.packed.length)));
    });
  }

  const RoundTools& tools_;
  Operation operation_;
  const Filling& filling_;
  RequestBatch& batch_;
};

// Copies the bytes of `own`, which belong to this rank, directly between memory and stage, without a message.
void copy_own(const RoundTools& tools, Operation operation, const Filling& filling, std::span<const StagedPart> own,
              RequestBatch& batch) {
  for (const StagedPart& part : own) tools.counts.copied_bytes += part.packed.length;
  batch.fail(attempt([&] {
    if (operation == Operation::read) {
      const PrepareTimer timer(tools.meter);
      for (const StagedPart& part : own) image_to_memory(part, filling.image_of(part));
      return;
    }
    by_threads(tools.threads, own, [&](const Part& piece, std::size_t i) {
      const PrepareTimer timer(tools.meter);
      memory_to_image(piece, filling.image_of(own[i]));
    });
  }));
}

// Returns the size of a round as the number of its entries, of all kinds.
std::size_t entries_in(const PlannedRound& planned) {
  std::size_t entries = planned.round.own.size() + planned.round.segments.size() + planned.requests.size();
  for (const auto* messages : {&planned.round.outwards, &planned.round.inwards}) {
    for (const Message& message : *messages) entries += message.parts.size();
  }
  return entries;
}

// Returns a round and its requests. A rank without memory for them still takes part in the messages of the round.
PlannedRound planned(const Schedule& schedule, std::int64_t number, RequestBatch& batch) {
  PlannedRound planned;
  const std::optional<Error> failure = attempt([&] {
    planned.round = schedule.round(number);
    planned.requests = schedule.requests_of(planned.round);
  });
  if (failure && planned.round.outwards.empty() && planned.round.inwards.empty()) {
    planned.round = schedule.messages_alone(number);
  }
  batch.fail(failure);
  return planned;
}

Filling begin_filling(const RoundTools& tools, const PlannedRound& planned) {
  ++tools.counts.rounds;
  tools.counts.requests += static_cast<std::int64_t>(planned.requests.size());
  return {planned.round, planned.round.segments.empty() ? nullptr : tools.stages.take()};
}

// Performs a round of a write, shifted by `distance_bytes` in the files.
void write_round(const RoundTools& tools, const PlannedRound& planned, std::int64_t distance_bytes, RequestBatch& batch,
                 const WriteTerms& terms, bool here) {
  const Filling filling = begin_filling(tools, planned);
  Exchange(tools, Operation::write, filling, batch).run();
  std::vector<OwnRun> in_place;
  std::vector<StagedPart> rest;
  batch.fail(attempt([&] {
    if (terms.memory_stays) in_place = runs_written_in_place(planned.round.own, distance_bytes);
    if (!in_place.empty())
      std::ranges::remove_copy_if(planned.round.own, std::back_inserter(rest), is_written_in_place);
  }));
  copy_own(tools, Operation::write, filling, in_place.empty() ? std::span(planned.round.own) : std::span(rest), batch);
  if (planned.requests.empty()) return;
  batch.fail(attempt([&] {
    std::vector<Segment> requests = planned.requests;
    for (Segment& request : requests) request.bytes.offset += distance_bytes;
    if (here) {
      batch.perform([&] {
        const auto runs = runs_of_files(requests, tools.threads);
        parallel_for(tools.threads, std::ssize(runs), [&](std::int64_t run, int /*thread*/) {
          perform_requests(tools.handles, Operation::write, runs[static_cast<std::size_t>(run)], filling.stage.get(),
                           in_place);
        });
      });
      return;
    }
    const auto shared_requests = std::make_shared<const std::vector<Segment>>(std::move(requests));
    const auto own = std::make_shared<const std::vector<OwnRun>>(std::move(in_place));
    for (const std::span<const Segment> run : runs_of_files(*shared_requests, tools.background.threads())) {
      batch.start(tools.background, [&handles = tools.handles, stage = filling.stage, shared_requests, own, run] {
        perform_requests(handles, Operation::write, run, stage.get(), *own);
      });
    }
  }));
}

// The work of a job for the bytes of its own rank.
void write_own(HandleCache& handles, Meter* meter, const PlannedRound& planned,
               const std::shared_ptr<std::byte[]>& stage) {
  const Filling filling{planned.round, stage};
  {
    const PrepareTimer timer(meter);
    for (const StagedPart& part : planned.round.own) {
      if (!part.extent->is_for_caller() && !is_written_in_place(part)) memory_to_image(part, filling.image_of(part));
    }
  }
  perform_requests(handles, Operation::write, planned.requests, stage.get(),
                   runs_written_in_place(planned.round.own, 0));
}

// Performs a round in which the job copies this rank's own bytes, except the bytes of encoders that only the caller may
// call.
void write_lent_round(const RoundTools& tools, PlannedRound planned, RequestBatch& batch) {
  const Filling filling = begin_filling(tools, planned);
  Exchange(tools, Operation::write, filling, batch).run();
  batch.fail(attempt([&] {
    const PrepareTimer timer(tools.meter);
    for (const StagedPart& part : planned.round.own) {
      if (!part.extent->is_for_caller()) continue;
      tools.counts.copied_bytes += part.packed.length;
      memory_to_image(part, filling.image_of(part));
    }
  }));
  if (planned.requests.empty()) return;
  batch.fail(attempt([&] {
    auto job = [&handles = tools.handles, meter = tools.meter, stage = filling.stage,
                lent = std::make_shared<const PlannedRound>(std::move(planned))] {
      write_own(handles, meter, *lent, stage);
    };
    batch.start(tools.background, std::move(job));
  }));
}

// Performs a round in which the job also takes its stage. Only jobs hold stages then, so one is always returned.
void write_own_round(const RoundTools& tools, PlannedRound planned, RequestBatch& batch) {
  ++tools.counts.rounds;
  tools.counts.requests += static_cast<std::int64_t>(planned.requests.size());
  if (planned.requests.empty()) return;
  batch.fail(attempt([&] {
    auto job = [&handles = tools.handles, meter = tools.meter, &stages = tools.stages,
                lent = std::make_shared<const PlannedRound>(std::move(planned))] {
      write_own(handles, meter, *lent, stages.take());
    };
    batch.start(tools.background, std::move(job));
  }));
}

// Calls `visit(number, is_last)` for the rounds of a write, in the order in which they are performed. If source memory
// interleaves, this is the order of the source memory, so that variables are read one after another while their lines
// are in the cache. Otherwise, or without memory for that order, it is file order.
template <class Visit>
void for_each_round(const Schedule& schedule, Visit&& visit) {
  std::vector<std::int64_t> ordered;
  if (attempt([&] { ordered = schedule.rounds_by_source(); })) ordered.clear();
  for (const std::int64_t& number : ordered) visit(number, &number == &ordered.back());
  if (!ordered.empty()) return;
  std::optional<std::int64_t> number = schedule.next_round(0);
  while (number) {
    const std::int64_t now = *number;
    number = schedule.next_round(now + 1);
    visit(now, !number);
  }
}
// Lets the exchanging thread wait for the requests of one round.
class Done {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

// Returns an object that sets `done` when the last copy of a job is destroyed, even if the job was skipped.
std::shared_ptr<void> setting(const std::shared_ptr<Done>& done) {
  return {nullptr, [done](void*) { done->set(); }};
}

}  // namespace

std::optional<std::vector<PlannedRound>> write_rounds(const RoundTools& tools, const Schedule& schedule,
                                                      RequestBatch& batch, const WriteTerms& terms) {
  std::optional<std::vector<PlannedRound>> cached(std::in_place);
  std::size_t cached_entries = 0;
  for_each_round(schedule, [&](std::int64_t number, bool is_last) {
    PlannedRound round = planned(schedule, number, batch);
    write_round(tools, round, 0, batch, terms, terms.here && is_last);
    if (!cached) return;
    cached_entries += entries_in(round);
    if (cached_entries > terms.max_cached_entries || attempt([&] { cached->push_back(std::move(round)); }))
      cached.reset();
  });
  return cached;
}

void write_lent_rounds(const RoundTools& tools, const Schedule& schedule, bool all_by_jobs, RequestBatch& batch) {
  for_each_round(schedule, [&](std::int64_t number, bool) {
    PlannedRound round = planned(schedule, number, batch);
    all_by_jobs ? write_own_round(tools, std::move(round), batch) : write_lent_round(tools, std::move(round), batch);
  });
}

void write_rounds_again(const RoundTools& tools, std::span<const PlannedRound> rounds, std::int64_t distance_bytes,
                        RequestBatch& batch, const WriteTerms& terms) {
  for (const PlannedRound& round : rounds) {
    write_round(tools, round, distance_bytes, batch, terms, terms.here && &round == &rounds.back());
  }
}

void read_rounds(const RoundTools& tools, const Schedule& schedule, RequestBatch& batch) {
  struct Ahead {
    PlannedRound planned;
    std::shared_ptr<const std::vector<OwnRun>> in_place = nullptr;  // all own bytes, or none
    std::shared_ptr<std::byte[]> stage = nullptr;
    std::shared_ptr<Done> done = std::make_shared<Done>();
  };
  const auto begin = [&](std::int64_t number, bool here) {
    Ahead ahead{planned(schedule, number, batch)};
    std::vector<Segment> around;  // requests of which only the runs are read
    batch.fail(attempt([&] {
      if (!tools.reads_in_place || ahead.planned.requests.empty()) return;
      ahead.in_place = std::make_shared<const std::vector<OwnRun>>(runs_read_in_place(ahead.planned.round));
      if (!tools.leaves_gaps || ahead.in_place->empty()) return;
      std::vector<Segment> requests = requests_without_gaps(ahead.planned.requests, *ahead.in_place);
      if (requests.size() > ahead.planned.requests.size())
        around = std::exchange(ahead.planned.requests, std::move(requests));
    }));
    ahead.stage = begin_filling(tools, ahead.planned).stage;
    batch.fail(attempt([&] {
      // The setter comes first: it exists if copying fails, and is destroyed last, after the stage is returned.
      auto job = [setter = setting(ahead.done), &handles = tools.handles, stage = ahead.stage,
                  requests = ahead.planned.requests, around = std::move(around), own = ahead.in_place] {
        // Reads ahead the gaps between runs, too, because a disk reads them faster than it skips them.
        for (const Segment& each : around) handles.get(each.file)->will_need({&each.bytes, 1});
        perform_requests(handles, Operation::read, requests, stage.get(),
                         own ? std::span(*own) : std::span<const OwnRun>());
      };
      here ? batch.perform(job) : batch.start(tools.background, std::move(job));
    }));
    return ahead;
  };
  std::optional<std::int64_t> number = schedule.next_round(0);
  if (!number) return;
  // With a single stage the next round can begin only when this round has returned it.
  const bool overlaps = tools.background.threads() > 0 && tools.stages.max_buffers() > 1;
  Ahead now = begin(*number, true);
  while (true) {
    const std::optional<std::int64_t> next = schedule.next_round(*number + 1);
    std::optional<Ahead> ahead;
    if (next && overlaps) ahead = begin(*next, false);
    now.done->wait();
    {
      const Filling filling{now.planned.round, std::move(now.stage)};
      if (now.in_place && !now.in_place->empty()) {
        batch.fail(attempt([&] {
          const PrepareTimer timer(tools.meter);
          take_in_place(filling.round.own);
        }));
      } else {
        copy_own(tools, Operation::read, filling, filling.round.own, batch);
      }
      Exchange(tools, Operation::read, filling, batch).run();
    }
    if (!next) return;
    if (!ahead) ahead = begin(*next, true);
    now = std::move(*ahead);
    number = next;
  }
}

}  // namespace sill
