// What one rank wants, sorted and coalesced.
#include "sill/plan/access_plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"

namespace sill {
namespace {

std::vector<Extent> extents_of(const AccessPlan& plan) { return {plan.extents().begin(), plan.extents().end()}; }

TEST(AccessPlan, OfNothingIsEmpty) {
  EXPECT_TRUE(AccessPlan().extents().empty());
  EXPECT_TRUE(AccessPlan::for_writing({{0, {5, 0}, 0}, {1, {0, 0}, 3}}).extents().empty());
  EXPECT_EQ(AccessPlan::for_reading({}).total_bytes(), 0);
}

TEST(AccessPlan, SortsByFileAndOffset) {
  const AccessPlan plan = AccessPlan::for_writing({{1, {0, 5}, 0}, {0, {20, 5}, 5}, {0, {0, 5}, 10}});
  EXPECT_EQ(extents_of(plan), (std::vector<Extent>{{0, {0, 5}, 10}, {0, {20, 5}, 5}, {1, {0, 5}, 0}}));
  EXPECT_EQ(plan.total_bytes(), 15);
}

TEST(AccessPlan, JoinsWhatTouchesInFileAndMemory) {
  EXPECT_EQ(extents_of(AccessPlan::for_writing({{0, {5, 5}, 5}, {0, {0, 5}, 0}, {0, {10, 1}, 10}})),
            (std::vector<Extent>{{0, {0, 11}, 0}}));
  EXPECT_EQ(AccessPlan::for_writing({{0, {0, 5}, 0}, {0, {5, 5}, 6}}).extents().size(), 2U);  // not in memory
  EXPECT_EQ(AccessPlan::for_writing({{0, {0, 5}, 0}, {0, {6, 5}, 5}}).extents().size(), 2U);  // not in the file
  EXPECT_EQ(AccessPlan::for_writing({{0, {0, 5}, 0}, {1, {5, 5}, 5}}).extents().size(), 2U);  // another file
}

TEST(AccessPlan, RefusesWhatIsNegative) {
  for (const Extent& wrong : {Extent{0, {-1, 5}, 0}, Extent{0, {0, -5}, 0}, Extent{0, {0, 5}, -1}}) {
    for (const auto make : {&AccessPlan::for_writing, &AccessPlan::for_reading}) {
      try {
        (void)make({{0, {100, 5}, 0}, wrong});
        ADD_FAILURE() << "not refused";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::usage);
        EXPECT_NE(error.parts().problem.find("negative"), std::string::npos);
      }
    }
  }
}

TEST(AccessPlan, OverlappingIsForReadersOnly) {
  const std::vector<Extent> overlapping{{3, {0, 10}, 0}, {3, {9, 5}, 10}};
  EXPECT_EQ(AccessPlan::for_reading(overlapping).total_bytes(), 15);
  try {
    (void)AccessPlan::for_writing(overlapping);
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(error.parts().problem.find("overlap in file 3: bytes 0-9 and 9-13"), std::string::npos) << error.what();
  }
}

TEST(AccessPlan, KeepsItsInvariants) {
  EXPECT_TRUE(rc::check([] {
    const auto extent = rc::gen::construct<Extent>(
        rc::gen::inRange(0, 3),
        rc::gen::construct<ByteRange>(rc::gen::inRange<std::int64_t>(0, 30), rc::gen::inRange<std::int64_t>(0, 8)),
        rc::gen::inRange<std::int64_t>(0, 30));
    const auto wanted = *rc::gen::container<std::vector<Extent>>(extent);
    // Every byte of memory that is wanted, by (file, offset), as often as it is.
    const auto bytes_of = [](const auto& extents) {
      std::multiset<std::array<std::int64_t, 3>> bytes;
      for (const Extent& e : extents) {
        for (std::int64_t i = 0; i < e.bytes.length; ++i)
          bytes.insert({e.file, e.bytes.offset + i, e.memory_offset_bytes + i});
      }
      return bytes;
    };
    std::map<std::pair<std::int64_t, std::int64_t>, int> times;
    bool disjoint = true;
    for (const auto& [file, offset, memory] : bytes_of(wanted)) disjoint = ++times[{file, offset}] == 1 && disjoint;

    const AccessPlan plan = AccessPlan::for_reading(wanted);
    RC_ASSERT(bytes_of(plan.extents()) == bytes_of(wanted));
    RC_ASSERT(plan.total_bytes() == static_cast<std::int64_t>(bytes_of(wanted).size()));
    for (std::size_t i = 0; i < plan.extents().size(); ++i) {
      const Extent& after = plan.extents()[i];
      RC_ASSERT(!after.bytes.empty());
      if (i == 0) continue;
      const Extent& before = plan.extents()[i - 1];
      RC_ASSERT(std::pair(before.file, before.bytes.offset) <= std::pair(after.file, after.bytes.offset));
      const bool touching = before.file == after.file && before.bytes.end() == after.bytes.offset &&
                            before.memory_offset_bytes + before.bytes.length == after.memory_offset_bytes;
      RC_ASSERT(!touching);
    }
    bool refused = false;
    try {
      RC_ASSERT(extents_of(AccessPlan::for_writing(wanted)) == extents_of(plan));
    } catch (const Error&) {
      refused = true;
    }
    RC_ASSERT(refused == !disjoint);
  }));
}

}  // namespace
}  // namespace sill
