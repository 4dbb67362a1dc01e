// Beginning the requests of a plan: what is cached of the last one in its place, and where errors go.
#include "sill/move/plan_writer.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "support/memory_store.hpp"

namespace sill {
namespace {

using test::Bytes;

class PlanWriterTest : public testing::Test {
 protected:
  PlanWriterTest() {
    files.put("file", {});
    const Opener open = [this](const std::string& path, OpenMode mode) {
      if (fails) throw Error({.code = ErrorCode::io, .problem = "no such disk"});
      return files.open(path, mode);
    };
    // The second name is opened when it is first written.
    resources.take({.paths = {"file", "other"}, .mode = OpenMode::write_or_create, .open = open},
                   Policy::parse("writers=all,stage=512"), {1 << 20, 1});
  }

  static AccessPlan plan_at(std::int64_t offset, const Bytes& bytes, int file = 0) {
    return AccessPlan::for_writing({contiguous(file, {offset, std::ssize(bytes)}, bytes.data())});
  }
  std::optional<std::int64_t> distance_to(const AccessPlan& plan, std::size_t place = 0) const {
    return writer.repeat_of(place, plan, Memory::copied, false).distance_bytes;
  }
  // Returns the error of the batch.
  std::optional<Error> write(const AccessPlan& plan, std::size_t place = 0) {
    writer.begin({.place = place, .mine = plan, .plan_of_rank = {}, .distance_bytes = distance_to(plan, place)},
                 in_flight.begin(resources.files()), in_flight);
    return test::thrown([&] { in_flight.collect(0); });
  }

  const std::unique_ptr<Communicator> comm = make_alone();
  MemoryFiles files;
  bool fails = false;
  MoverResources resources{*comm};
  PlanWriter writer{resources};
  CallsInFlight in_flight{*comm};
  const Bytes ones = Bytes(700, std::byte{1});
  const Bytes twos = Bytes(700, std::byte{2});
};

TEST_F(PlanWriterTest, APlanLikeTheLastOneIsKnownByItsDistance) {
  EXPECT_EQ(distance_to(plan_at(0, ones)), std::nullopt);
  EXPECT_FALSE(write(plan_at(0, ones)));
  EXPECT_EQ(distance_to(plan_at(0, twos)), 0);
  EXPECT_EQ(distance_to(plan_at(700, twos)), 700);
  EXPECT_EQ(distance_to(plan_at(0, Bytes(3))), std::nullopt);
  EXPECT_EQ(distance_to(plan_at(0, ones, 1)), std::nullopt);
  EXPECT_FALSE(write(plan_at(700, twos)));
  EXPECT_EQ(distance_to(plan_at(700, ones)), 700) << "the distance is from the plan that was cached";
  Bytes expected = ones;
  expected.insert(expected.end(), twos.begin(), twos.end());
  EXPECT_EQ(files.bytes("file"), expected);
}

TEST_F(PlanWriterTest, EachPlaceInACallHasItsOwnLastPlan) {
  EXPECT_FALSE(write(plan_at(0, ones), 0));
  EXPECT_EQ(distance_to(plan_at(0, ones), 1), std::nullopt);
  EXPECT_FALSE(write(plan_at(2000, twos), 1));
  EXPECT_EQ(distance_to(plan_at(0, ones), 0), 0);
  EXPECT_EQ(distance_to(plan_at(2000, ones), 1), 0);
}

TEST_F(PlanWriterTest, NothingIsKnownAfterForgetting) {
  EXPECT_FALSE(write(plan_at(0, ones)));
  writer.forget();
  EXPECT_EQ(distance_to(plan_at(0, ones)), std::nullopt);
}

TEST_F(PlanWriterTest, ARequestThatFailsIsAnErrorOfItsBatchAndNotRepeated) {
  fails = true;
  const std::optional<Error> error = write(plan_at(0, ones, 1));
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("no such disk"), std::string::npos);
  EXPECT_EQ(distance_to(plan_at(0, ones, 1)), std::nullopt);
  fails = false;
  EXPECT_FALSE(write(plan_at(0, ones, 1)));
  EXPECT_EQ(files.bytes("other"), ones);
}

TEST_F(PlanWriterTest, EmptyPlansAreKnownAsEmpty) {
  EXPECT_FALSE(write(AccessPlan()));
  const PlanRepeat repeat = writer.repeat_of(0, AccessPlan(), Memory::copied, false);
  EXPECT_TRUE(repeat.is_empty);
  EXPECT_EQ(repeat.distance_bytes, 0);
}

}  // namespace
}  // namespace sill
