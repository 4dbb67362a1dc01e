// The policy of a time loop's writes chosen on the way: what it answers, and that what is reported can be repeated.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sill/choose/policy_log.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/move/mover.hpp"
#include "sill/store/forwarding_store.hpp"
#include "sill/store/meter_store.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/shared_folder.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::SharedFolder;
using test::world;

// Takes some time for each request, as a server does.
class SlowStore : public ForwardingStore {
 public:
  SlowStore(std::unique_ptr<Store> inner, const std::atomic<std::int64_t>& request_us)
      : ForwardingStore(std::move(inner)), request_us_(request_us) {}

  void submit(std::span<const Request> requests) override {
    wait_for(std::ssize(requests));
    ForwardingStore::submit(requests);
  }
  [[nodiscard]] bool takes_extents() const override { return false; }

 private:
  void wait_for(std::int64_t requests) const {
    if (request_us_ > 0) std::this_thread::sleep_for(std::chrono::microseconds(requests * request_us_));
  }

  const std::atomic<std::int64_t>& request_us_;
};

constexpr std::int64_t piece_bytes = 8 << 10;  // long enough that a piece goes to the file by itself
constexpr std::int64_t pieces = 40;

// A time loop that writes the same pieces of one file in every phase, in turns with the other ranks.
class Loop {
 public:
  Loop(const SharedFolder& folder, const Policy& policy, PolicyLog* log)
      : comm_(world()),
        resources_{
            .comm = comm_,
            .open = [this](const std::string& path,
                           OpenMode mode) { return std::make_unique<SlowStore>(open_posix(path, mode), request_us_); },
            .policy = policy,
            .memory_bytes = 16 << 20,
            .chosen = log},
        mover_(comm_, files(folder), policy, {16 << 20, 1}) {}

  // All ranks' requests.
  std::int64_t write() {
    const std::int64_t before = all_reduce(comm_, meter_.write_requests.load(), Reduction::sum);
    mover_.write(AccessPlan::for_writing({{.offset_bytes = comm_.rank() * piece_bytes,
                                           .run_bytes = piece_bytes,
                                           .steps = {{pieces, comm_.size() * piece_bytes, piece_bytes}},
                                           .memory = bytes_.data()}}));
    return all_reduce(comm_, meter_.write_requests.load(), Reduction::sum) - before;
  }
  void use(const Policy& policy) { EXPECT_FALSE(mover_.use(policy, {16 << 20, 1})); }
  void become_slow() { request_us_ = 500; }
  void close() { mover_.close(); }

 private:
  MoverFiles files(const SharedFolder& folder) {
    MoverFiles made = resources_.files({folder / "file"}, OpenMode::write_or_create);
    made.open = metered(std::move(made.open), meter_);
    return made;
  }

  Communicator& comm_;
  std::atomic<std::int64_t> request_us_{0};
  Meter meter_;
  Resources resources_;
  std::vector<std::byte> bytes_ = std::vector<std::byte>(static_cast<std::size_t>(piece_bytes * pieces));
  Mover mover_;
};

// Less than one a piece.
constexpr std::int64_t few_requests = 16;

// Within ten phases on a machine of its own (policy_trials_test.cpp); with others on it within some more.
SILL_TEST_MIN_RANKS(AutomaticPolicyMpi, AStoreThatBecomesSlowIsAnswered, 2);
TEST(AutomaticPolicyMpi, AStoreThatBecomesSlowIsAnswered) {
  const SharedFolder folder(world());
  PolicyLog log;
  Loop loop(folder, Policy::automatic(), &log);
  for (int phase = 0; phase < 40; ++phase) (void)loop.write();
  loop.become_slow();
  int with_few = 0;
  for (int phase = 0; phase < 200; ++phase) with_few += loop.write() <= few_requests ? 1 : 0;
  EXPECT_GE(with_few, 100);
  loop.close();
}

SILL_TEST_MIN_RANKS(AutomaticPolicyMpi, WhatIsReportedMakesTheSameRequestsAgain, 2);
TEST(AutomaticPolicyMpi, WhatIsReportedMakesTheSameRequestsAgain) {
  const SharedFolder folder(world());
  PolicyLog log;
  std::vector<std::int64_t> requests;
  {
    Loop loop(folder, Policy::automatic(), &log);
    for (int phase = 0; phase < 150; ++phase) {
      if (phase == 20) loop.become_slow();
      requests.push_back(loop.write());
    }
    loop.close();
  }
  const std::vector<ChosenPolicy> lines = log.lines();
  ASSERT_GT(lines.size(), 1U) << "trials";
  Loop again(folder, lines.front().policy, nullptr);
  std::size_t phase = 0;
  for (const ChosenPolicy& line : lines) {
    again.use(line.policy);
    ASSERT_EQ(line.first, static_cast<std::int64_t>(phase) + 1);
    EXPECT_FALSE(line.why.empty());
    for (; phase < static_cast<std::size_t>(line.last()); ++phase) EXPECT_EQ(again.write(), requests.at(phase));
  }
  EXPECT_EQ(phase, requests.size());
  again.close();
}

}  // namespace
}  // namespace sill
