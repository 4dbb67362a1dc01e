#include "sill/move/rounds.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <tuple>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/move/parts.hpp"

namespace sill {
namespace {

// A round under way: what it does, the stage it does it in, and the requests of its files.
struct Filling {
  Round round;
  std::shared_ptr<std::byte[]> stage;
  std::vector<Segment> requests;

  [[nodiscard]] Image image_of(const Part& part) const {
    const Segment& segment = round.segments[part.segment];
    return {segment.bytes, stage.get() + segment.stage_offset_bytes};
  }
};

// Requests for the same file go to its store together.
void perform_requests(HandleCache& handles, Operation operation, std::span<const Segment> wanted, std::byte* stage) {
  std::vector<iovec> pieces;
  std::vector<Request> requests;
  for (std::size_t begin = 0; begin < wanted.size();) {
    const int file = wanted[begin].file;
    std::size_t end = begin;
    while (end < wanted.size() && wanted[end].file == file) ++end;
    pieces.resize(end - begin);
    requests.resize(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      iovec& piece = pieces[i - begin];
      piece = {stage + wanted[i].stage_offset_bytes, static_cast<std::size_t>(wanted[i].bytes.length)};
      requests[i - begin] = {operation, wanted[i].bytes.offset, {&piece, 1}};
    }
    handles.get(file)->submit(requests);
    if (operation == Operation::write) handles.written(file);
    begin = end;
  }
}

// One message of a round as this rank sees it.
struct Message {
  const Passage* passage = nullptr;
  bool outwards = false;
  std::tuple<int, int> writer_and_owner;
  std::span<std::byte> bytes = {};
  bool direct = false;  // from or to where its bytes are, without a copy
};

std::vector<Message> messages_of(const Round& round, int rank) {
  std::vector<Message> messages;
  for (const Passage& passage : round.outwards) messages.push_back({&passage, true, {passage.peer, rank}});
  for (const Passage& passage : round.inwards) messages.push_back({&passage, false, {rank, passage.peer}});
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return a.writer_and_owner < b.writer_and_owner; });
  return messages;
}

class Exchange {
 public:
  Exchange(const RoundTools& tools, Operation operation, Filling& filling, Phase& phase)
      : tools_(tools), operation_(operation), filling_(filling), phase_(phase) {}

  // All messages, in the one order of all ranks, as many at once as there is room for.
  void run() {
    std::vector<Message> messages = messages_of(filling_.round, tools_.comm.rank());
    for (auto begin = messages.begin(); begin != messages.end();) {
      std::size_t used = 0;
      auto end = begin;
      for (; end != messages.end(); ++end) {
        if (place_directly(*end)) continue;
        const auto length = static_cast<std::size_t>(end->passage->bytes);
        if (used + length > tools_.messages.size()) break;
        end->bytes = tools_.messages.subspan(used, length);
        used += length;
      }
      exchange({begin, end});
      begin = end;
    }
  }

 private:
  bool place_directly(Message& message) const {
    if (message.passage->parts.size() != 1) return false;
    const Part& part = message.passage->parts.front();
    const auto length = static_cast<std::size_t>(message.passage->bytes);
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

  void exchange(std::span<Message> messages) {
    std::vector<Outgoing> sends;
    std::vector<Incoming> receives;
    for (Message& message : messages) {
      const int peer = message.passage->peer;
      if (is_sent(message)) {
        if (!message.direct) copy(message);
        sends.push_back({peer, message.bytes});
        ++tools_.counts.messages;
        tools_.counts.message_bytes += message.passage->bytes;
      } else {
        receives.push_back({peer, message.bytes});
      }
    }
    tools_.comm.exchange(sends, receives);
    for (Message& message : messages) {
      if (!is_sent(message) && !message.direct) copy(message);
    }
  }

  [[nodiscard]] bool is_sent(const Message& message) const {
    return message.outwards == (operation_ == Operation::write);
  }

  // Between a message and where its bytes are or belong. What fails here leaves the message with other bytes; the
  // error then ends the whole operation.
  void copy(Message& message) {
    tools_.counts.copied_bytes += message.passage->bytes;
    phase_.fail(attempt([&] {
      std::size_t done = 0;
      for (const Part& part : message.passage->parts) {
        const std::span<std::byte> bytes = message.bytes.subspan(done, static_cast<std::size_t>(part.packed.length));
        if (message.outwards) {
          operation_ == Operation::write ? pack(part, bytes) : unpack(part, bytes);
        } else {
          operation_ == Operation::write ? packed_to_image(part, bytes, filling_.image_of(part))
                                         : image_to_packed(part, filling_.image_of(part), bytes);
        }
        done += bytes.size();
      }
    }));
  }

  const RoundTools& tools_;
  Operation operation_;
  Filling& filling_;
  Phase& phase_;
};

// Own bytes go straight between memory and stage, without a message.
void copy_own(const RoundTools& tools, Operation operation, const Filling& filling, Phase& phase) {
  phase.fail(attempt([&] {
    for (const Part& part : filling.round.own) {
      tools.counts.copied_bytes += part.packed.length;
      operation == Operation::write ? memory_to_image(part, filling.image_of(part))
                                    : image_to_memory(part, filling.image_of(part));
    }
  }));
}

// The stage and the requests of a round.
Filling begin_filling(const RoundTools& tools, const Schedule& schedule, std::int64_t number, Phase& phase) {
  Filling filling;
  filling.round = schedule.round(number);
  ++tools.counts.rounds;
  if (filling.round.segments.empty()) return filling;
  filling.stage = tools.stages.take();
  phase.fail(attempt([&] { filling.requests = schedule.requests_of(filling.round); }));
  tools.counts.requests += static_cast<std::int64_t>(filling.requests.size());
  return filling;
}

// Lets the thread that exchanges wait for the requests of one round.
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

// Sets what it holds when the last copy of a job is gone: also when the job was left out.
std::shared_ptr<void> setting(const std::shared_ptr<Done>& done) {
  return {nullptr, [done](void*) { done->set(); }};
}

}  // namespace

void write_rounds(const RoundTools& tools, const Schedule& schedule, Phase& phase, bool here) {
  std::optional<std::int64_t> number = schedule.next_round(0);
  while (number) {
    Filling filling = begin_filling(tools, schedule, *number, phase);
    Exchange(tools, Operation::write, filling, phase).run();
    copy_own(tools, Operation::write, filling, phase);
    number = schedule.next_round(*number + 1);
    if (filling.requests.empty()) continue;
    const auto job = [&handles = tools.handles, stage = filling.stage, requests = std::move(filling.requests)] {
      perform_requests(handles, Operation::write, requests, stage.get());
    };
    if (here && !number) {
      phase.perform(job);
    } else {
      phase.start(tools.background, job);
    }
  }
}

void read_rounds(const RoundTools& tools, const Schedule& schedule, Phase& phase) {
  struct Ahead {
    Filling filling;
    std::shared_ptr<Done> done = std::make_shared<Done>();
  };
  const auto begin = [&](std::int64_t number, bool here) {
    Ahead ahead;
    ahead.filling = begin_filling(tools, schedule, number, phase);
    const auto job = [&handles = tools.handles, stage = ahead.filling.stage, requests = ahead.filling.requests,
                      setter = setting(ahead.done)] {
      perform_requests(handles, Operation::read, requests, stage.get());
    };
    here ? phase.perform(job) : phase.start(tools.background, job);
    return ahead;
  };
  std::optional<std::int64_t> number = schedule.next_round(0);
  if (!number) return;
  // With a single stage the next round can only begin when this one has let go of it.
  const bool overlaps = tools.background.threads() > 0 && tools.stages.most() > 1;
  Ahead now = begin(*number, true);
  while (true) {
    const std::optional<std::int64_t> next = schedule.next_round(*number + 1);
    std::optional<Ahead> ahead;
    if (next && overlaps) ahead = begin(*next, false);
    now.done->wait();
    copy_own(tools, Operation::read, now.filling, phase);
    Exchange(tools, Operation::read, now.filling, phase).run();
    if (!next) return;
    now.filling.stage.reset();
    if (!ahead) ahead = begin(*next, true);
    now = std::move(*ahead);
    number = next;
  }
}

}  // namespace sill
