// The schedule as a pure function: all ranks are played in this process, with the strictest rules of messages, and the
// bytes compared with a reference that knows nothing of schedules.
#include "sill/move/schedule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "move/random_access.hpp"
#include "sill/base/error.hpp"
#include "store/thrown.hpp"

namespace sill {
namespace {

using test::Access;
using test::FileBytes;
using test::thrown;

std::vector<Schedule> schedules_of(const Access& access, const Policy& policy, Operation operation) {
  std::vector<Schedule> all;
  for (int rank = 0; rank < static_cast<int>(access.plans.size()); ++rank) {
    all.push_back(schedule(access.plans, policy, operation, rank));
  }
  return all;
}

// Plays all ranks: round by round, a rank leaves a round when each of its messages has met its counterpart
// (rendezvous: nothing is buffered). Throws std::runtime_error with what is wrong.
class Play {
 public:
  Play(Access& access, const std::vector<Schedule>& schedules, Operation operation)
      : access_(access), schedules_(schedules), operation_(operation), state_(schedules.size()) {
    for (std::size_t rank = 0; rank < state_.size(); ++rank) {
      state_[rank].stage.resize(static_cast<std::size_t>(schedules[rank].stage_bytes));
    }
  }

  FileBytes files;                                            // a write adds, a read looks up
  std::map<std::pair<int, std::int64_t>, int> times_written;  // every byte of a file

  void run() {
    for (std::size_t rank = 0; rank < state_.size(); ++rank) enter(rank);
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t rank = 0; rank < state_.size(); ++rank) moved = meet(rank) || moved;
      for (std::size_t rank = 0; rank < state_.size(); ++rank) {
        while (in_round(rank) && state_[rank].sends.empty() && state_[rank].receives.empty()) {
          leave(rank);
          moved = true;
        }
      }
    }
    for (std::size_t rank = 0; rank < state_.size(); ++rank) {
      if (in_round(rank)) throw std::runtime_error("rank " + std::to_string(rank) + " waits for ever");
    }
  }

 private:
  struct Message {
    std::size_t peer;
    std::byte* bytes;
    std::size_t length;
  };
  struct Rank {
    std::size_t round = 0;
    std::deque<Message> sends;
    std::deque<Message> receives;
    std::vector<std::byte> stage;
  };

  [[nodiscard]] bool in_round(std::size_t rank) const { return state_[rank].round < schedules_[rank].rounds.size(); }
  [[nodiscard]] const Round& round_of(std::size_t rank) const { return schedules_[rank].rounds[state_[rank].round]; }

  // `range` of the rank's memory or stage, checked.
  std::byte* at(std::size_t rank, bool staged, ByteRange range) {
    auto& bytes = staged ? state_[rank].stage : access_.memory[rank];
    if (range.offset < 0 || range.length <= 0 || range.end() > static_cast<std::int64_t>(bytes.size())) {
      throw std::runtime_error("outside of the " + std::string(staged ? "stage" : "memory"));
    }
    return bytes.data() + range.offset;
  }

  void enter(std::size_t rank) {
    if (!in_round(rank)) return;
    const bool writing = operation_ == Operation::write;
    if (!writing) perform(rank);
    Rank& state = state_[rank];
    for (const Passage& passage : round_of(rank).sends) {
      (writing ? state.sends : state.receives)
          .push_back({static_cast<std::size_t>(passage.peer), at(rank, false, passage.bytes), size_of(passage.bytes)});
    }
    for (const Passage& passage : round_of(rank).receives) {
      (writing ? state.receives : state.sends)
          .push_back({static_cast<std::size_t>(passage.peer), at(rank, true, passage.bytes), size_of(passage.bytes)});
    }
  }

  static std::size_t size_of(ByteRange range) { return static_cast<std::size_t>(range.length); }

  // Messages between two ranks meet in order.
  bool meet(std::size_t rank) {
    bool met = false;
    auto& sends = state_[rank].sends;
    for (auto send = sends.begin(); send != sends.end();) {
      auto& receives = state_[send->peer].receives;
      const auto receive =
          std::find_if(receives.begin(), receives.end(), [&](const Message& m) { return m.peer == rank; });
      const bool first_for_peer =
          std::none_of(sends.begin(), send, [&](const Message& m) { return m.peer == send->peer; });
      if (receive == receives.end() || !first_for_peer) {
        ++send;
        continue;
      }
      if (receive->length != send->length) throw std::runtime_error("a message is not as long as its counterpart");
      std::memcpy(receive->bytes, send->bytes, send->length);
      receives.erase(receive);
      send = sends.erase(send);
      met = true;
    }
    return met;
  }

  void leave(std::size_t rank) {
    const bool writing = operation_ == Operation::write;
    for (const StageCopy& copy : round_of(rank).copies) {
      std::byte* const memory = at(rank, false, {copy.memory_offset_bytes, copy.stage.length});
      std::byte* const stage = at(rank, true, copy.stage);
      std::memcpy(writing ? stage : memory, writing ? memory : stage, size_of(copy.stage));
    }
    if (writing) perform(rank);
    ++state_[rank].round;
    enter(rank);
  }

  void perform(std::size_t rank) {
    for (const FileRequest& request : round_of(rank).requests) {
      std::byte* const memory = at(rank, request.staged, request.memory);
      for (std::int64_t i = 0; i < request.memory.length; ++i) {
        const std::pair place(request.file, request.offset_bytes + i);
        if (operation_ == Operation::write) {
          files[place] = memory[i];
          ++times_written[place];
        } else {
          memory[i] = files.at(place);
        }
      }
    }
  }

  Access& access_;
  const std::vector<Schedule>& schedules_;
  Operation operation_;
  std::vector<Rank> state_;
};

Policy random_policy() {
  Policy policy;
  policy.writers = *rc::gen::element(Policy::Writers::all, Policy::Writers::first);
  policy.stage_bytes = *rc::gen::element<std::int64_t>(0, 1, 7, 64, 1000, 262144);
  return policy;
}

void require_within_stage(const std::vector<Schedule>& schedules, const Policy& policy) {
  const std::int64_t most = policy.stage_bytes > 0 ? policy.stage_bytes : 4 << 20;
  const bool staged = policy.stage_bytes > 0 || policy.writers == Policy::Writers::first;
  for (const Schedule& schedule : schedules) {
    RC_ASSERT(schedule.stage_bytes <= (staged ? most : 0));
    for (const Round& round : schedule.rounds) {
      std::int64_t filled = 0;
      for (const FileRequest& request : round.requests) {
        RC_ASSERT(request.staged == staged);
        if (staged) filled += request.memory.length;
      }
      RC_ASSERT(filled <= most);
    }
  }
}

TEST(ScheduleTest, WritesEveryByteOnceAndRight) {
  EXPECT_TRUE(rc::check([] {
    const auto ranks = *rc::gen::inRange<std::size_t>(1, 6);
    Access access = test::random_write(*rc::gen::arbitrary<std::uint64_t>(), ranks, *rc::gen::element(3, 40, 300));
    const Policy policy = random_policy();
    const std::vector<Schedule> schedules = schedules_of(access, policy, Operation::write);
    require_within_stage(schedules, policy);
    Play play(access, schedules, Operation::write);
    play.run();
    RC_ASSERT(play.files == written_by(access));
    for (const auto& [place, times] : play.times_written) RC_ASSERT(times == 1);
  }));
}

TEST(ScheduleTest, ReadsEveryByteToEveryReader) {
  EXPECT_TRUE(rc::check([] {
    const auto ranks = *rc::gen::inRange<std::size_t>(1, 6);
    const std::int64_t file_bytes = 500;
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    Access access = test::random_read(seed, ranks, *rc::gen::element(3, 40, 500), file_bytes);
    std::vector<std::vector<std::byte>> files(3, std::vector<std::byte>(file_bytes));
    std::mt19937_64 random(seed + 1);
    const Policy policy = random_policy();
    const std::vector<Schedule> schedules = schedules_of(access, policy, Operation::read);
    require_within_stage(schedules, policy);
    FileBytes places;
    for (std::size_t file = 0; file < files.size(); ++file) {
      for (std::size_t i = 0; i < files[file].size(); ++i) {
        files[file][i] = static_cast<std::byte>(random() % 256);
        places[{static_cast<int>(file), static_cast<std::int64_t>(i)}] = files[file][i];
      }
    }
    std::vector<std::vector<std::byte>> expected;
    for (std::size_t rank = 0; rank < ranks; ++rank) expected.push_back(read_by(access, rank, files));
    Play play(access, schedules, Operation::read);
    play.files = places;
    play.run();
    RC_ASSERT(access.memory == expected);
  }));
}

std::size_t requests_in(const Schedule& schedule) {
  std::size_t count = 0;
  for (const Round& round : schedule.rounds) count += round.requests.size();
  return count;
}

TEST(ScheduleTest, DirectIsOneRequestAnExtentAndNoMessage) {
  EXPECT_TRUE(rc::check([] {
    const auto ranks = *rc::gen::inRange<std::size_t>(1, 6);
    const Access access = test::random_write(*rc::gen::arbitrary<std::uint64_t>(), ranks, 40);
    const std::vector<Schedule> schedules = schedules_of(access, Policy::parse("direct"), Operation::write);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      RC_ASSERT(requests_in(schedules[rank]) == access.plans[rank].extents().size());
      for (const Round& round : schedules[rank].rounds) RC_ASSERT(round.sends.empty() && round.receives.empty());
    }
  }));
}

// `pieces` pieces of `length` bytes back to back, dealt to the ranks in turn.
std::vector<AccessPlan> interleaved(std::int64_t pieces, std::int64_t length, int ranks) {
  std::vector<std::vector<Extent>> extents(static_cast<std::size_t>(ranks));
  for (std::int64_t i = 0; i < pieces; ++i) {
    extents[static_cast<std::size_t>(i % ranks)].push_back({0, {100 + i * length, length}, i / ranks * length});
  }
  std::vector<AccessPlan> plans;
  for (auto& of_rank : extents) plans.push_back(AccessPlan::for_writing(of_rank));
  return plans;
}

TEST(ScheduleTest, StagedIsOneRequestAFullStage) {
  for (const std::int64_t pieces : {1, 10, 99, 100, 101, 1000}) {
    const std::vector<AccessPlan> plans = interleaved(pieces, 10, 3);
    const Policy policy = Policy::parse("staged,stage=1000");
    const auto full_stages = static_cast<std::size_t>((pieces * 10 + 999) / 1000);
    EXPECT_EQ(requests_in(schedule(plans, policy, Operation::write, 0)), full_stages) << pieces;
    EXPECT_EQ(schedule(plans, policy, Operation::write, 0).stage_bytes, std::min<std::int64_t>(1000, pieces * 10));
    for (const int other : {1, 2}) {
      const Schedule idle = schedule(plans, policy, Operation::write, other);
      EXPECT_EQ(requests_in(idle), 0U);
      EXPECT_EQ(idle.stage_bytes, 0);
    }
  }
}

TEST(ScheduleTest, TheFirstHolderWritesEachFile) {
  const std::vector<AccessPlan> plans{AccessPlan(), AccessPlan::for_writing({{1, {0, 10}, 0}}),
                                      AccessPlan::for_writing({{0, {0, 10}, 0}, {1, {10, 10}, 10}})};
  const Policy policy = Policy::parse("staged");
  EXPECT_TRUE(schedule(plans, policy, Operation::write, 0).rounds.empty());
  const Schedule one = schedule(plans, policy, Operation::write, 1);
  ASSERT_EQ(one.rounds.size(), 1U);
  EXPECT_EQ(one.rounds[0].requests, (std::vector<FileRequest>{{1, 0, true, {0, 20}}}));
  EXPECT_EQ(one.rounds[0].receives, (std::vector<Passage>{{2, {10, 10}}}));
  EXPECT_EQ(one.rounds[0].copies, (std::vector<StageCopy>{{0, {0, 10}}}));
  const Schedule two = schedule(plans, policy, Operation::write, 2);
  ASSERT_EQ(two.rounds.size(), 2U);
  EXPECT_EQ(two.rounds[0].requests, (std::vector<FileRequest>{{0, 0, true, {0, 10}}}));
  EXPECT_EQ(two.rounds[1].sends, (std::vector<Passage>{{1, {10, 10}}}));
}

TEST(ScheduleTest, OverlappingWritesOfRanksAreRefused) {
  const std::vector<AccessPlan> plans{AccessPlan::for_writing({{0, {0, 10}, 0}}), AccessPlan(),
                                      AccessPlan::for_writing({{0, {9, 10}, 0}})};
  for (const char* policy : {"direct", "staged"}) {
    for (const int rank : {0, 1, 2}) {
      const auto error = thrown([&] { (void)schedule(plans, Policy::parse(policy), Operation::write, rank); });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code(), ErrorCode::usage);
      EXPECT_EQ(error->parts().problem, "ranks 0 and 2 both write byte 9 of file 0");
      EXPECT_NO_THROW((void)schedule(plans, Policy::parse(policy), Operation::read, rank));
    }
  }
}

TEST(ScheduleTest, ALongWriteHidingAShortOneIsRefused) {
  const std::vector<AccessPlan> plans{AccessPlan::for_writing({{0, {0, 100}, 0}}),
                                      AccessPlan::for_writing({{0, {10, 1}, 0}, {0, {50, 1}, 1}})};
  EXPECT_TRUE(thrown([&] { (void)schedule(plans, Policy{}, Operation::write, 0); }));
}

}  // namespace
}  // namespace sill
