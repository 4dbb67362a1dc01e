// Policies that are chosen while a time loop runs, and what becomes of a phase whose policy fails on trial.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "move/mover_files.hpp"
#include "sill/store/meter_store.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/memory.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::Bytes;
using test::RankFault;
using test::SharedFolder;
using test::thrown;
using test::world;

constexpr std::int64_t piece_bytes = 24;
constexpr std::int64_t turns = 50;

// Gives each write the next policy of a list. The second is on trial.
class Listed : public PolicyChooser {
 public:
  explicit Listed(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) policies_.push_back(Policy::parse("direct," + text));
  }

  Policy choose(const Policy& /*policy*/, const sill::Access& /*access*/) override {
    ++chosen_;
    return policies_[now_];
  }
  bool begin_write(const std::optional<WriteTime>& last, bool is_like_last) override {
    times_ += last ? 1 : 0;
    if (!is_like_last) return false;
    const Policy before = policies_[now_];
    now_ = std::min(now_ + 1, policies_.size() - 1);
    return policies_[now_] != before;
  }
  bool is_trial() const override { return now_ == 1; }
  void fall_back(const Error& failure) override {
    failures_.emplace_back(failure.what());
    policies_.insert(policies_.begin() + 2, policies_[0]);
    now_ = 2;
  }

  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }
  [[nodiscard]] int chosen() const { return chosen_; }
  [[nodiscard]] int times() const { return times_; }  // that it was told

 private:
  std::vector<Policy> policies_;
  std::size_t now_ = 0;
  int chosen_ = 0;
  int times_ = 0;
  std::vector<std::string> failures_;
};

// Ranks take turns in a file, piece by piece; other bytes in every phase.
class Phases {
 public:
  [[nodiscard]] AccessPlan plan(int phase) {
    std::ranges::fill(mine_, byte_of(phase, world().rank()));
    return AccessPlan::for_writing({{.offset_bytes = world().rank() * piece_bytes,
                                     .run_bytes = piece_bytes,
                                     .steps = {{turns, world().size() * piece_bytes, piece_bytes}},
                                     .memory = mine_.data()}});
  }
  [[nodiscard]] static Bytes content(int phase) {
    Bytes all;
    for (std::int64_t i = 0; i < turns * world().size(); ++i) {
      all.insert(all.end(), static_cast<std::size_t>(piece_bytes),
                 byte_of(phase, static_cast<int>(i % world().size())));
    }
    return all;
  }

 private:
  [[nodiscard]] static std::byte byte_of(int phase, int rank) { return static_cast<std::byte>(16 * phase + rank + 1); }

  Bytes mine_ = Bytes(static_cast<std::size_t>(piece_bytes * turns));
};

// What is on trial, whose write fails on that rank, after what.
struct FailingTrial {
  std::string before;
  std::string on_trial;
  int rank;
};

std::vector<FailingTrial> failing_trials() {
  const int last = world().size() - 1;
  const std::string all_write = "writers=" + std::to_string(world().size()) + ",stage=512";
  return {{"stage=0", "writers=root,stage=512", 0},
          {"writers=node,stage=512", "stage=0", last},
          {"writers=root,stage=600", "writers=node,stage=512", 0},
          {"writers=root,stage=512", all_write, last},
          {"stage=512", "writers=elected,stage=700", 0}};
}

// Writes four phases by each of these, the second of which fails on trial, by `write(mover, path, plan)`; looks at file
// `file_of(phase)` after each.
template <class Write>
void write_with_failing_trials(int file_count, Fault::Kind kind, const std::function<int(int)>& file_of,
                               Write&& write) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  for (const FailingTrial& trial : failing_trials()) {
    SCOPED_TRACE(trial.before + ", then " + trial.on_trial);
    test::make_files(folder, comm, file_count, 0);
    RankFault fault(comm, trial.rank, Fault::Call::write, kind, 1 << 20);
    MoverFiles set = test::files_in(folder, 1, OpenMode::write_or_create, Policy::Call::posix);
    set.open = fault.in(set.open);
    set.is_per_call = file_count > 1;
    const auto chooser = std::make_shared<Listed>(std::vector<std::string>{trial.before, trial.on_trial});
    set.chooser = chooser;
    Mover mover(comm, set, Policy::automatic(), {1 << 20, 2});
    Phases phases;
    for (int phase = 0; phase < 4; ++phase) {
      if (phase == 1) fault.fault().nth = fault.fault().seen + 1;
      const std::string path = test::path_of(folder, file_of(phase));
      const std::optional<Error> error = write(mover, path, phases.plan(phase));
      EXPECT_FALSE(error) << phase << ": " << error->what();
      comm.barrier();
      EXPECT_EQ(test::bytes_of_file(path), Phases::content(phase)) << phase;
      comm.barrier();
    }
    mover.close();
    EXPECT_TRUE(!fault.is_here() || fault.fault().seen >= fault.fault().nth) << "the trial came to pass";
    ASSERT_EQ(chooser->failures().size(), 1U);
    EXPECT_TRUE(test::same_everywhere(comm, chooser->failures().front()));
    EXPECT_EQ(chooser->times(), 3);
    EXPECT_EQ(chooser->chosen(), 3) << "at first, for the trial, and after it";
  }
}

TEST(MoverTrialsMpi, APhaseThatFailsOnTrialIsWrittenByThePolicyBefore) {
  write_with_failing_trials(
      1, Fault::Kind::is_short, [](int /*phase*/) { return 0; },
      [](Mover& mover, const std::string& /*path*/, const AccessPlan& plan) {
        return thrown([&] {
          mover.write(plan);
          mover.share();
        });
      });
}

TEST(MoverTrialsMpi, APhaseWithFilesOfItsOwnIsNotLostEither) {
  write_with_failing_trials(
      4, Fault::Kind::fails, [](int phase) { return phase; },
      [](Mover& mover, const std::string& path, const AccessPlan& plan) {
        std::optional<Error> first;
        const auto make = [&](const Agreed&) { return PhaseFiles{.paths = {path}, .mode = OpenMode::write_or_create}; };
        EXPECT_TRUE(mover.write_phase(plan, {}, false, make, Memory::copied, first));
        return first;
      });
}

// Keeps what it is told of writes.
class Told : public PolicyChooser {
 public:
  Policy choose(const Policy& /*policy*/, const sill::Access& /*access*/) override { return Policy::parse("elected"); }
  bool begin_write(const std::optional<WriteTime>& last, bool is_like_last) override {
    writes.emplace_back(last, is_like_last);
    return false;
  }
  bool is_trial() const override { return false; }
  void fall_back(const Error& /*failure*/) override {}

  std::vector<std::pair<std::optional<WriteTime>, bool>> writes;
};

TEST(MoverTrialsMpi, WhatWritesTakeIsToldOfEachTheSameOnAllRanks) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  test::make_files(folder, comm, 1, 0);
  Meter meter;
  MoverFiles set = test::files_in(folder, 1, OpenMode::write_or_create, Policy::Call::posix);
  set.open = metered(set.open, meter);
  set.meter = &meter;
  const auto chooser = std::make_shared<Told>();
  set.chooser = chooser;
  Mover mover(comm, set, Policy::automatic(), {1 << 20, 1});
  Phases phases;
  mover.write(phases.plan(0));
  mover.write(phases.plan(1));
  mover.write(comm.rank() == 0 ? AccessPlan{} : phases.plan(2));
  mover.write(comm.rank() == 0 ? AccessPlan{} : phases.plan(2));
  mover.close();
  ASSERT_EQ(chooser->writes.size(), 4U);
  const bool is_alone = comm.size() == 1;  // with nothing to write in the end
  std::string times;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& [last, is_like_last] = chooser->writes[i];
    EXPECT_EQ(is_like_last, i == 1 || i == 3) << i;
    EXPECT_EQ(last.has_value(), i > 0) << i;
    if (!last) continue;
    EXPECT_EQ(last->requests_s > 0, !is_alone || i < 3) << i;
    EXPECT_LE(last->requests_s, last->total_s) << i;
    times += std::to_string(last->requests_s) + " " + std::to_string(last->total_s) + " ";
  }
  EXPECT_TRUE(test::same_everywhere(comm, times));
}

// A disk that is full is full for every policy: the error is that of the policy before, and is thrown.
TEST(MoverTrialsMpi, WhatFailsByThePolicyBeforeAsWellIsAnError) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  test::make_files(folder, comm, 1, 0);
  RankFault on_trial(comm, 0, Fault::Call::write, Fault::Kind::fails, 1 << 20);
  RankFault again(comm, 0, Fault::Call::write, Fault::Kind::fails, 1 << 20);
  MoverFiles set = test::files_in(folder, 1, OpenMode::write_or_create, Policy::Call::posix);
  set.open = again.in(on_trial.in(set.open));
  const auto chooser =
      std::make_shared<Listed>(std::vector<std::string>{"writers=root,stage=64K", "writers=node,stage=64K"});
  set.chooser = chooser;
  Mover mover(comm, set, Policy::automatic(), {1 << 20, 1});
  Phases phases;
  mover.write(phases.plan(0));
  on_trial.fault().nth = on_trial.fault().seen + 1;
  again.fault().nth = again.fault().seen + 2;
  const std::optional<Error> error = thrown([&] { mover.write(phases.plan(1)); });
  EXPECT_TRUE(again.is_stated_by(error));
  EXPECT_EQ(chooser->failures().size(), 1U);
  mover.write(phases.plan(2));
  mover.close();
  EXPECT_EQ(test::bytes_of_file(test::path_of(folder, 0)), Phases::content(2));
  comm.barrier();
}

}  // namespace
}  // namespace sill
