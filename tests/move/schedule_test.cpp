// The schedule as a pure function: many ranks in one process, without messages or files. What one rank sends in a round
// is what its peer expects, byte for byte, and every byte travels once.
#include "sill/move/schedule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "move/random_access.hpp"
#include "plan/any_extent.hpp"
#include "sill/move/policy/domains.hpp"
#include "store/thrown.hpp"
#include "support/any_number.hpp"

namespace sill {
namespace {

using test::Access;
using test::AccessMaker;
using test::any_number;
using test::thrown;
using Writers = Policy::Writers;
using Place = std::pair<int, std::int64_t>;  // file and byte

// A collective access as all ranks of a job schedule it.
struct Ranks {
  std::vector<AccessPlan> plans;
  std::vector<WriterWindows> writers;
  std::vector<std::vector<AccessPlan>> of_others;  // by rank
  std::vector<std::vector<OwnedPlan>> owned;
  std::vector<Schedule> schedules;

  Ranks(std::vector<AccessPlan> all, Operation operation, const Policy& policy, std::int64_t stage, std::int64_t align,
        const std::vector<int>& nodes)
      : plans(std::move(all)), of_others(plans.size()), owned(plans.size()) {
    std::vector<AccessSummary> shares;
    for (std::size_t r = 0; r < plans.size(); ++r) {
      const std::vector<AccessSummary> of_rank = access_summaries(plans[r], static_cast<int>(r));
      shares.insert(shares.end(), of_rank.begin(), of_rank.end());
    }
    std::sort(shares.begin(), shares.end(), [](const AccessSummary& a, const AccessSummary& b) {
      return std::tie(a.file, a.rank) < std::tie(b.file, b.rank);
    });
    Election election;
    writers = windows_of(domains_of(shares, policy, align, {nodes, 0}, election), stage, align);
    for (const WriterWindows& windows : writers) {
      const auto w = static_cast<std::size_t>(windows.writer());
      of_others[w].reserve(plans.size());
      for (std::size_t r = 0; r < plans.size(); ++r) {
        if (r == w) continue;
        std::vector<Extent> extents = windows.extents_within(plans[r]);
        if (extents.empty()) continue;
        of_others[w].push_back(AccessPlan::of_ordered(std::move(extents)));
        owned[w].push_back({&of_others[w].back(), static_cast<int>(r)});
      }
    }
    for (std::size_t r = 0; r < plans.size(); ++r) {
      schedules.emplace_back(operation, static_cast<int>(r), writers, plans[r], owned[r], stage);
    }
  }

  // The rounds in which a rank has anything to do.
  [[nodiscard]] std::map<std::int64_t, Round> rounds_of(std::size_t rank) const {
    std::map<std::int64_t, Round> rounds;
    std::optional<std::int64_t> number = schedules[rank].next_round(0);
    for (; number; number = schedules[rank].next_round(*number + 1)) {
      rounds.emplace(*number, schedules[rank].round(*number));
    }
    return rounds;
  }
};

std::vector<Place> places_of(const Part& part) {
  std::vector<Place> places;
  for (std::int64_t i = part.packed.offset; i < part.packed.end(); ++i) {
    places.emplace_back(part.extent->file, part.extent->file_offset_of(i));
  }
  return places;
}

std::vector<Place> places_of(const Message& message) {
  std::vector<Place> places;
  for (const Part& part : message.parts) {
    const std::vector<Place> of_part = places_of(part);
    places.insert(places.end(), of_part.begin(), of_part.end());
  }
  return places;
}

void require_within_segment(const Round& round, const StagedPart& part) {
  const Segment& segment = round.segments.at(part.segment);
  for (const auto& [file, at] : places_of(part)) {
    RC_ASSERT(file == segment.file);
    RC_ASSERT(at >= segment.bytes.offset);
    RC_ASSERT(at < segment.bytes.end());
  }
}

void require_message(const Message& message, std::int64_t stage) {
  RC_ASSERT(message.bytes <= stage);
  RC_ASSERT(std::cmp_equal(message.bytes, places_of(message).size()));
}

Policy any_exchange() {
  Policy policy;
  policy.writers = *rc::gen::element(Writers::root, Writers::first, Writers::elected, Writers::node, Writers::number);
  if (policy.writers == Writers::number) policy.domains = any_number<int>(1, 15);
  return policy;
}

// Ranks on nodes in turn.
std::vector<int> nodes_for(std::size_t ranks) {
  const int nodes = any_number<int>(1, static_cast<int>(ranks));
  std::vector<int> node_of_ranks;
  for (std::size_t r = 0; r < ranks; ++r) node_of_ranks.push_back(static_cast<int>(r) % nodes);
  return node_of_ranks;
}

// What a rank without memory sends and receives is as long as what is expected of it.
void require_same_messages(const Round& round, const Round& alone) {
  const auto sizes = [](const std::vector<Message>& messages) {
    std::vector<std::pair<int, std::int64_t>> all;
    for (const Message& message : messages) all.emplace_back(message.peer, message.bytes);
    return all;
  };
  RC_ASSERT(sizes(alone.outwards) == sizes(round.outwards));
  RC_ASSERT(sizes(alone.inwards) == sizes(round.inwards));
  RC_ASSERT(alone.own.empty() && alone.segments.empty());
}

void check_schedules(Operation operation) {
  const auto ranks = any_number<std::size_t>(1, 12);
  const std::int64_t file_bytes = *rc::gen::element<std::int64_t>(50, 500, 2000);
  AccessMaker maker(*rc::gen::arbitrary<std::uint64_t>(), ranks, operation);
  maker.add_regions(2, file_bytes);
  const Access access = maker.take();
  const std::int64_t stage = *rc::gen::element<std::int64_t>(1, 7, 64, 1000, 4096);
  std::int64_t align = *rc::gen::element<std::int64_t>(1, 8, 64);
  if (stage % align != 0) align = 1;
  std::vector<AccessPlan> plans;
  for (const Access::Rank& rank : access.ranks) {
    plans.push_back(operation == Operation::write ? AccessPlan::for_writing(rank.extents())
                                                  : AccessPlan::for_reading(rank.extents()));
  }
  const Ranks all(std::move(plans), operation, any_exchange(), stage, align, nodes_for(ranks));

  std::vector<std::map<std::int64_t, Round>> rounds;
  for (std::size_t r = 0; r < ranks; ++r) rounds.push_back(all.rounds_of(r));

  std::vector<std::multiset<Place>> moved(ranks);  // bytes of a rank, by whoever performs their requests
  std::map<Place, int> requested;
  for (std::size_t r = 0; r < ranks; ++r) {
    for (const auto& [number, round] : rounds[r]) {
      RC_ASSERT(!round.own.empty() || !round.outwards.empty() || !round.inwards.empty());
      require_same_messages(round, all.schedules[r].messages_alone(number));
      std::int64_t stage_end = 0;
      for (const Segment& segment : round.segments) {
        RC_ASSERT(segment.stage_offset_bytes >= stage_end);
        stage_end = segment.stage_offset_bytes + segment.bytes.length;
        RC_ASSERT((segment.stage_offset_bytes - segment.bytes.offset) % align == 0);
      }
      RC_ASSERT(stage_end <= stage);
      std::set<Place> held;  // in this round's stage
      for (const StagedPart& part : round.own) {
        require_within_segment(round, part);
        for (const Place& place : places_of(part)) {
          moved[r].insert(place);
          held.insert(place);
        }
      }
      for (const Message& message : round.inwards) {
        require_message(message, stage);
        RC_ASSERT(std::cmp_not_equal(message.peer, r));
        for (const StagedPart& part : message.parts) require_within_segment(round, part);
        for (const Place& place : places_of(message)) held.insert(place);
      }
      // What is sent is what the peer expects, as many messages, in the same order, of the same bytes.
      std::map<int, std::vector<std::vector<Place>>> sent;
      for (const Message& message : round.outwards) {
        require_message(message, stage);
        sent[message.peer].push_back(places_of(message));
        for (const Place& place : places_of(message)) moved[r].insert(place);
      }
      for (const auto& [peer, messages] : sent) {
        std::vector<std::vector<Place>> expected;
        const auto& of_peer = rounds[static_cast<std::size_t>(peer)];
        RC_ASSERT(of_peer.count(number) == 1U);
        for (const Message& message : of_peer.at(number).inwards) {
          if (std::cmp_equal(message.peer, r)) expected.push_back(places_of(message));
        }
        RC_ASSERT(messages == expected);
      }
      // Nobody waits for what nobody sends.
      for (const Message& message : round.inwards) {
        const auto& of_peer = rounds[static_cast<std::size_t>(message.peer)];
        RC_ASSERT(of_peer.count(number) == 1U);
        const auto& outwards = of_peer.at(number).outwards;
        RC_ASSERT(std::any_of(outwards.begin(), outwards.end(),
                              [&](const Message& each) { return std::cmp_equal(each.peer, r); }));
      }
      std::set<Place> in_requests;
      for (const Segment& request : all.schedules[r].requests_of(round)) {
        for (std::int64_t i = 0; i < request.bytes.length; ++i) {
          const Place place{request.file, request.bytes.offset + i};
          RC_ASSERT(in_requests.insert(place).second);
          ++requested[place];
          // Where it is in the stage is where the images are.
          const auto segment = std::find_if(round.segments.begin(), round.segments.end(), [&](const Segment& each) {
            return each.file == request.file && place.second >= each.bytes.offset && place.second < each.bytes.end();
          });
          RC_ASSERT(segment != round.segments.end());
          RC_ASSERT(request.stage_offset_bytes + i ==
                    segment->stage_offset_bytes + place.second - segment->bytes.offset);
        }
      }
      if (operation == Operation::write) {
        RC_ASSERT(in_requests == held);
      } else {
        RC_ASSERT(std::includes(in_requests.begin(), in_requests.end(), held.begin(), held.end()));
      }
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    std::multiset<Place> wanted;
    for (const Extent& extent : all.plans[r].extents()) {
      test::for_each_byte(extent, [&](std::int64_t at, const std::byte*) { wanted.emplace(extent.file, at); });
    }
    RC_ASSERT(moved[r] == wanted);
  }
  for (const auto& [place, times] : requested) RC_ASSERT(times == 1);
}

TEST(Schedule, OfAWriteMovesEveryByteOnceAndMeetsItsPeers) {
  EXPECT_TRUE(rc::check([] { check_schedules(Operation::write); }));
}

TEST(Schedule, OfAReadMovesEveryByteOnceAndMeetsItsPeers) {
  EXPECT_TRUE(rc::check([] { check_schedules(Operation::read); }));
}

// One message for all that two ranks have to do with each other in a round.
TEST(Schedule, AWriteSendsOneMessageARoundToEachWriter) {
  EXPECT_TRUE(rc::check([] {
    const auto ranks = any_number<std::size_t>(2, 8);
    AccessMaker maker(*rc::gen::arbitrary<std::uint64_t>(), ranks, Operation::write);
    maker.add_regions(3, 1000);
    const Access access = maker.take();
    std::vector<AccessPlan> plans;
    for (const Access::Rank& rank : access.ranks) plans.push_back(AccessPlan::for_writing(rank.extents()));
    const std::int64_t stage = *rc::gen::element<std::int64_t>(10, 100, 10'000);
    const Ranks all(std::move(plans), Operation::write, any_exchange(), stage, 1, nodes_for(ranks));
    for (std::size_t r = 0; r < ranks; ++r) {
      for (const auto& [number, round] : all.rounds_of(r)) {
        std::set<int> peers;
        for (const Message& message : round.outwards) RC_ASSERT(peers.insert(message.peer).second);
      }
    }
  }));
}

std::vector<AccessPlan> interleaved(std::int64_t runs, std::int64_t run_bytes, std::int64_t ranks) {
  std::vector<AccessPlan> plans;
  for (std::int64_t r = 0; r < ranks; ++r) {
    plans.push_back(AccessPlan::for_writing({{.offset_bytes = 100 + r * run_bytes,
                                              .run_bytes = run_bytes,
                                              .steps = {{(runs - r + ranks - 1) / ranks, ranks * run_bytes, run_bytes}},
                                              .memory = test::address(0)}}));
  }
  return plans;
}

TEST(Schedule, FullStagesAreOneRequestEach) {
  for (const std::int64_t runs : {3, 10, 99, 100, 101, 1000}) {
    const Ranks all(interleaved(runs, 10, 3), Operation::write, {.writers = Writers::first}, 1000, 1, {0, 0, 0});
    const auto rounds = all.rounds_of(0);
    EXPECT_EQ(std::ssize(rounds), (runs * 10 + 999) / 1000) << runs;
    for (const auto& [number, round] : rounds) {
      EXPECT_EQ(all.schedules[0].requests_of(round).size(), 1U);
      EXPECT_LE(round.inwards.size(), 2U);
    }
    for (const std::size_t other : {1U, 2U}) {
      for (const auto& [number, round] : all.rounds_of(other)) EXPECT_TRUE(round.segments.empty());
    }
  }
}

// A stage of a multiple of the alignment begins and ends at multiples of it, after the first.
TEST(Schedule, RequestsEndAtMultiplesOfTheAlignment) {
  const Ranks all(interleaved(1000, 10, 4), Operation::write, {.writers = Writers::number, .domains = 3}, 640, 64,
                  {0, 0, 1, 1});
  for (std::size_t r = 0; r < 4; ++r) {
    for (const auto& [number, round] : all.rounds_of(r)) {
      for (const Segment& request : all.schedules[r].requests_of(round)) {
        EXPECT_TRUE(request.bytes.offset % 64 == 0 || request.bytes.offset == 100);
        EXPECT_TRUE(request.bytes.end() % 64 == 0 || request.bytes.end() == 10'100);
      }
    }
  }
}

TEST(Schedule, SmallFilesShareAStage) {
  // Twenty files of 100 bytes, each of two ranks; one writer, a stage of 1000: two rounds.
  std::vector<std::vector<Extent>> extents(2);
  for (int file = 0; file < 20; ++file) {
    for (const std::size_t r : {0U, 1U}) {
      extents[r].push_back(contiguous(file, {static_cast<std::int64_t>(r) * 50, 50}, test::address(1000 * file)));
    }
  }
  std::vector<AccessPlan> plans;
  for (const auto& of_rank : extents) plans.push_back(AccessPlan::for_writing(of_rank));
  const Ranks all(std::move(plans), Operation::write, {.writers = Writers::root}, 1000, 1, {0, 0});
  EXPECT_EQ(all.rounds_of(0).size(), 2U);
  for (const auto& [number, round] : all.rounds_of(0)) {
    EXPECT_EQ(all.schedules[0].requests_of(round).size(), 10U);
    EXPECT_EQ(round.inwards.size(), 1U);
  }
}

TEST(Schedule, GapsCostNoRounds) {
  // Two bytes, a terabyte apart.
  std::vector<AccessPlan> plans;
  plans.push_back(AccessPlan::for_writing(
      {{.run_bytes = 1, .steps = {{2, std::int64_t{1} << 40, 1}}, .memory = test::address(0)}}));
  const Ranks all(std::move(plans), Operation::write, {.writers = Writers::root}, 64, 1, {0});
  EXPECT_EQ(all.rounds_of(0).size(), 2U);
}

TEST(Schedule, OverlappingWritesAreRefusedByTheirWriter) {
  std::vector<AccessPlan> plans;
  for (const std::int64_t offset : {0, 50, 9}) {
    plans.push_back(AccessPlan::for_writing({contiguous(0, {offset, 10}, test::address(0))}));
  }
  for (const Operation operation : {Operation::write, Operation::read}) {
    const Ranks all(plans, operation, {.writers = Writers::first}, 64, 1, {0, 0, 0});
    const auto error = thrown([&] { (void)all.schedules[0].requests_of(all.schedules[0].round(0)); });
    EXPECT_EQ(error.has_value(), operation == Operation::write);
    if (error) {
      EXPECT_EQ(error->parts().problem, "ranks 0 and 2 both write the same byte");
      EXPECT_EQ(error->parts().where.byte, 9);
    }
  }
}

}  // namespace
}  // namespace sill
