// Calls whose requests are not done: their order, their errors, and what ends with them.
#include "sill/move/calls_in_flight.hpp"

#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/counting_communicator.hpp"
#include "store/thrown.hpp"
#include "support/memory_store.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::failed;
using test::thrown;
using test::world;

class CallsInFlightMpi : public testing::Test {
 protected:
  CallsInFlightMpi() {
    terms.files.open = [this](const std::string& path, OpenMode mode) { return files.open(path, mode); };
    terms.max_open = 1;
    set = std::make_unique<FileSet>(comm, terms, std::vector<std::string>{"file"}, OpenMode::write_or_create, false);
  }

  // A batch that is done when `seal` is called on its requests.
  static WriteBatch open_batch() {
    WriteBatch batch;
    batch.requests = std::make_shared<RequestBatch>(nullptr);
    return batch;
  }
  static WriteBatch done_batch(const std::optional<Error>& error = {}) {
    WriteBatch batch = open_batch();
    batch.requests->fail(error);
    batch.requests->seal();
    return batch;
  }
  // What happens to a phase goes to `events`.
  std::list<WriteCall> phase(const std::string& name, const std::optional<Error>& error = {}) {
    std::list<WriteCall> one(1);
    WriteCall& call = one.front();
    call.batches.push_back(done_batch(error));
    call.of_phase =
        std::make_unique<FileSet>(comm, terms, std::vector<std::string>{name}, OpenMode::write_or_create, false);
    call.files = call.of_phase.get();
    call.phase.closed = [this, name] { events.push_back("closed " + name); };
    call.phase.publish = [this, name] { events.push_back("published " + name); };
    call.phase.holds = std::shared_ptr<void>(nullptr, [this, name](void*) { events.push_back("ended " + name); });
    return one;
  }

  test::CountingCommunicator comm{world()};
  MemoryFiles files;
  MoverTerms terms;
  std::unique_ptr<FileSet> set;
  std::vector<std::string> events;
};

TEST_F(CallsInFlightMpi, CallsAreDoneInTheirOrder) {
  CallsInFlight calls(comm);
  EXPECT_TRUE(calls.is_done());
  calls.begin(*set).batches.push_back(done_batch());
  const auto second = calls.begin(*set).batches.emplace_back(open_batch()).requests;
  calls.begin(*set).batches.push_back(done_batch());
  EXPECT_EQ(calls.count_done(), 1);  // the third is, but not the second
  EXPECT_FALSE(calls.is_done());
  EXPECT_FALSE(calls.begins_with_phase());
  calls.collect(2);
  EXPECT_EQ(calls.size(), 2U);
  EXPECT_EQ(comm.reductions, 1);
  second->seal();
  EXPECT_TRUE(calls.is_done());
}

TEST_F(CallsInFlightMpi, CollectingNothingCostsNothing) {
  CallsInFlight calls(comm);
  calls.collect(0);
  EXPECT_EQ(comm.reductions, 0);
}

TEST_F(CallsInFlightMpi, AnErrorOfOneRankIsThrownOnAllAndEndsAllCalls) {
  CallsInFlight calls(comm);
  const bool fails = world().rank() == world().size() - 1;
  calls.begin(*set).batches.push_back(done_batch(fails ? std::optional(failed("disk full")) : std::nullopt));
  calls.begin(*set).batches.push_back(done_batch());
  const std::optional<Error> error = thrown([&] { calls.collect(1); });
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("disk full"), std::string::npos);
  EXPECT_EQ(calls.size(), 0U);
}

TEST_F(CallsInFlightMpi, APhaseIsClosedThenPublishedThenEnded) {
  CallsInFlight calls(comm);
  calls.add(phase("a"));
  calls.add(phase("b"));
  EXPECT_TRUE(calls.begins_with_phase());
  EXPECT_FALSE(calls.finish_oldest());
  const bool is_root = world().rank() == 0;
  const std::vector<std::string> expected = is_root ? std::vector<std::string>{"closed a", "published a", "ended a"}
                                                    : std::vector<std::string>{"closed a", "ended a"};
  EXPECT_EQ(events, expected);
  EXPECT_EQ(calls.size(), 1U);
  EXPECT_EQ(comm.reductions, 2);  // requests and closing; publishing
  EXPECT_FALSE(calls.finish_oldest());
}

TEST_F(CallsInFlightMpi, APhaseThatFailsOnOneRankIsPublishedOnNone) {
  CallsInFlight calls(comm);
  const bool fails = world().rank() == world().size() - 1;
  calls.add(phase("a", fails ? std::optional(failed("disk full")) : std::nullopt));
  const std::optional<Error> error = calls.finish_oldest();
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("disk full"), std::string::npos);
  EXPECT_EQ(events, fails ? std::vector<std::string>{"ended a"} : (std::vector<std::string>{"closed a", "ended a"}));
}

TEST_F(CallsInFlightMpi, OnlyCallsThatWroteTheSameBytesOnAnotherRankAreWaitedFor) {
  using Writers = Policy::Writers;
  const auto batch_at = [](std::int64_t offset, int rank, Writers writers) {
    WriteBatch batch = done_batch();
    batch.writers = writers;
    batch.summaries = {{.file = 0, .rank = rank, .bounding_range = {offset, 10}}};
    return batch;
  };
  struct Case {
    std::int64_t offset;
    int rank;
    Writers writers;
    bool waits;
  };
  const std::vector<Case> cases{{100, 1, Writers::all, true},    // the same bytes, another owner
                                {110, 1, Writers::all, false},   // next to them
                                {109, 1, Writers::all, true},    // one byte of them
                                {100, 0, Writers::all, false},   // the same owner
                                {100, 0, Writers::root, true}};  // who writes changed
  for (const Case& each : cases) {
    CallsInFlight calls(comm);
    calls.begin(*set).batches.push_back(batch_at(100, 0, Writers::all));
    const std::int64_t before = comm.reductions;
    calls.wait_for_overlapping(batch_at(each.offset, each.rank, each.writers));
    EXPECT_EQ(comm.reductions - before, each.waits && world().size() > 1 ? 1 : 0) << each.offset << ' ' << each.rank;
  }
}

}  // namespace
}  // namespace sill
