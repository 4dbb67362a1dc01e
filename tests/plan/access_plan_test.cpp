// What one rank wants: the same bytes as it brought, sorted, and quickly found.
#include "sill/plan/access_plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "plan/any_extent.hpp"
#include "sill/base/error.hpp"
#include "store/thrown.hpp"
#include "support/any_number.hpp"

namespace sill {
namespace {

using test::address;
using test::BytePlace;
using test::thrown;

std::vector<Extent> extents_of(const AccessPlan& plan) { return {plan.extents().begin(), plan.extents().end()}; }

std::vector<BytePlace> bytes_of_all(const std::vector<Extent>& extents) {
  std::vector<BytePlace> bytes;
  for (const Extent& extent : extents) {
    const std::vector<BytePlace> of_extent = test::bytes_of(extent);
    bytes.insert(bytes.end(), of_extent.begin(), of_extent.end());
  }
  std::sort(bytes.begin(), bytes.end());
  return bytes;
}

// A nested extent that cannot be written with fewer steps.
bool is_tidy(const Extent& extent) {
  std::int64_t span = extent.run_bytes;
  for (std::size_t i = extent.steps.size(); i-- > 0;) {
    const Step& step = extent.steps[i];
    if (step.count < 2 || step.file_stride_bytes < span) return false;
    span += (step.count - 1) * step.file_stride_bytes;
    const bool innermost = i + 1 == extent.steps.size();
    const Step inside = innermost ? Step{1, extent.run_bytes, extent.run_bytes} : extent.steps[i + 1];
    const std::int64_t times = innermost ? 1 : inside.count;
    if (step.file_stride_bytes == times * inside.file_stride_bytes &&
        (extent.memory == nullptr || step.memory_stride_bytes == times * inside.memory_stride_bytes)) {
      return false;
    }
  }
  return extent.run_bytes > 0;
}

TEST(AccessPlan, HoldsTheBytesThatWereBrought) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<Extent> brought = test::any_extents(5, 60);
    const AccessPlan plan = AccessPlan::for_reading(brought);
    RC_ASSERT(bytes_of_all(extents_of(plan)) == bytes_of_all(brought));
    RC_ASSERT(std::cmp_equal(plan.total_bytes(), bytes_of_all(brought).size()));
    const auto place = [](const Extent& extent) { return std::pair(extent.file, extent.offset_bytes); };
    for (std::size_t i = 0; i < plan.extents().size(); ++i) {
      RC_ASSERT(is_tidy(plan.extents()[i]));
      if (i > 0) RC_ASSERT(place(plan.extents()[i - 1]) <= place(plan.extents()[i]));
    }
  }));
}

// A rank that performs requests for others knows their extents without the memory: same bytes, same order.
TEST(AccessPlan, OrderDoesNotDependOnMemory) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Extent> brought = test::any_extents(5, 60);
    const auto order_of = [](const AccessPlan& plan) {
      std::vector<std::pair<int, std::int64_t>> order;
      for (const Extent& extent : plan.extents()) {
        test::for_each_byte(extent, [&](std::int64_t at, const std::byte*) { order.emplace_back(extent.file, at); });
      }
      return order;
    };
    const auto order = order_of(AccessPlan::for_reading(brought));
    for (Extent& extent : brought) extent.memory = nullptr;
    RC_ASSERT(order_of(AccessPlan::for_reading(brought)) == order);
  }));
}

TEST(AccessPlan, OfAPlanIsTheSamePlan) {
  EXPECT_TRUE(rc::check([] {
    const AccessPlan plan = AccessPlan::for_reading(test::any_extents(5, 60));
    RC_ASSERT(extents_of(AccessPlan::for_reading(extents_of(plan))) == extents_of(plan));
    RC_ASSERT(extents_of(AccessPlan::of_ordered(extents_of(plan))) == extents_of(plan));
  }));
}

TEST(AccessPlan, ForWritingRefusesJustWhatOverlaps) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<Extent> brought = test::any_extents(4, *rc::gen::element<std::int64_t>(60, 2000));
    std::vector<std::pair<std::int64_t, std::int64_t>> overlaps;  // file and byte
    for (int file = 0; file < 2; ++file) {
      const std::vector<std::int64_t> places = test::places_in(file, brought);
      for (std::size_t i = 1; i < places.size(); ++i) {
        if (places[i] == places[i - 1]) {
          overlaps.emplace_back(file, places[i]);
        }
      }
    }
    const auto error = thrown([&] { (void)AccessPlan::for_writing(brought); });
    RC_CLASSIFY(error.has_value());
    RC_ASSERT(error.has_value() == !overlaps.empty());
    if (!error) return;
    RC_ASSERT(error->code() == ErrorCode::usage);
    RC_ASSERT(error->parts().problem == "a rank writes the same byte twice");
    const std::pair found(error->parts().where.item.value_or(-1), error->parts().where.byte.value_or(-1));
    RC_ASSERT(std::ranges::find(overlaps, found) != overlaps.end());
  }));
}

TEST(AccessPlan, FindsWhatLiesWhere) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<Extent> brought = test::any_extents(5, 60);
    const AccessPlan plan = AccessPlan::for_reading(brought);
    std::vector<int> files;
    for (int file = 0; file < 3; ++file) {
      const std::vector<std::int64_t> places = test::places_in(file, brought);
      std::int64_t of_file = 0;
      for (const Extent& extent : plan.of_file(file)) of_file += extent.total_bytes();
      RC_ASSERT(std::cmp_equal(of_file, places.size()));
      if (places.empty()) {
        RC_ASSERT(plan.bounding_range_of(file).empty());
        RC_ASSERT(plan.of_file(file).empty());
      } else {
        files.push_back(file);
        RC_ASSERT(plan.bounding_range_of(file) == ByteRange(places.front(), places.back() + 1 - places.front()));
      }
      const std::int64_t last = places.empty() ? 10 : places.back();
      for (std::int64_t at = 0; at <= last + 2; ++at) {
        const auto next = std::lower_bound(places.begin(), places.end(), at);
        RC_ASSERT(plan.next_byte(file, at) == (next == places.end() ? std::nullopt : std::optional(*next)));
      }
      const auto begin = test::any_number(0, last + 1);
      const ByteRange window{begin, test::any_number(0, last + 2 - begin)};
      std::vector<std::int64_t> within;
      const Extent* before = nullptr;
      plan.for_each_within(file, window, [&](const Extent& extent, ByteRange packed) {
        RC_ASSERT(!packed.empty());
        RC_ASSERT(before < &extent);
        before = &extent;
        for (std::int64_t i = packed.offset; i < packed.end(); ++i) within.push_back(extent.file_offset_of(i));
      });
      std::sort(within.begin(), within.end());
      std::vector<std::int64_t> wanted;
      std::copy_if(places.begin(), places.end(), std::back_inserter(wanted),
                   [&](std::int64_t at) { return at >= window.offset && at < window.end(); });
      RC_ASSERT(within == wanted);
    }
    RC_ASSERT(plan.files() == files);
  }));
}

TEST(AccessPlan, JoinsWhatTouchesInFileAndMemory) {
  const auto extents_in = [](std::vector<Extent> extents) {
    return AccessPlan::for_writing(std::move(extents)).extents().size();
  };
  const auto piece = [](int file, std::int64_t offset, std::int64_t memory) {
    return contiguous(file, {offset, 5}, address(memory));
  };
  EXPECT_EQ(extents_of(AccessPlan::for_writing({piece(0, 5, 5), piece(0, 0, 0), piece(0, 10, 10)})),
            (std::vector<Extent>{contiguous(0, {0, 15}, address(0))}));
  EXPECT_EQ(extents_in({piece(0, 0, 0), piece(0, 5, 6)}), 2U);  // not in memory
  EXPECT_EQ(extents_in({piece(0, 0, 0), piece(0, 6, 5)}), 2U);  // not in the file
  EXPECT_EQ(extents_in({piece(0, 0, 0), piece(1, 5, 5)}), 2U);  // another file
}

TEST(AccessPlan, KeepsManyRunsAsOneExtent) {
  // Every third plane, every second row, of a field of 10 x 20 x 30 bytes.
  const std::vector<Extent> field{
      {.run_bytes = 1, .steps = {{30, 1, 1}, {10, 2 * 30, 30}, {4, 3 * 600, 300}}, .memory = address(0)}};
  const Extent expected{.run_bytes = 30, .steps = {{4, 1800, 300}, {10, 60, 30}}, .memory = address(0)};
  EXPECT_EQ(extents_of(AccessPlan::for_writing(field)), std::vector<Extent>{expected});
  // The whole field, whatever the memory: without it, one run.
  std::vector<Extent> whole{{.run_bytes = 1, .steps = {{10, 600, 1}, {20, 30, 10}, {30, 1, 200}}}};
  EXPECT_EQ(extents_of(AccessPlan::for_writing(whole)), (std::vector<Extent>{{.run_bytes = 6000}}));
}

TEST(AccessPlan, RefusesWhatCannotBe) {
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  const auto problem_of = [](const Extent& wrong) -> std::string {
    const auto writing = thrown([&] { (void)AccessPlan::for_writing({contiguous(0, {0, 1}, address(0)), wrong}); });
    const auto reading = thrown([&] { (void)AccessPlan::for_reading({contiguous(0, {0, 1}, address(0)), wrong}); });
    if (!writing || !reading || reading->code() != ErrorCode::usage) return "";
    return writing->parts().problem == reading->parts().problem ? reading->parts().problem : "";
  };
  const std::string negative = "an extent of file 3 has a negative offset, length or stride: ";
  EXPECT_EQ(problem_of({3, -1, 5}), negative + "offset -1, runs of 5 bytes, 0 steps");
  EXPECT_EQ(problem_of({3, 10, -5}), negative + "offset 10, runs of -5 bytes, 0 steps");
  EXPECT_EQ(problem_of({3, 10, 5, {{2, -8, 0}}}), negative + "offset 10, runs of 5 bytes, 1 steps");
  EXPECT_EQ(problem_of({3, 10, 5, {{-2, 8, 0}}}), negative + "offset 10, runs of 5 bytes, 1 steps");
  const std::string beyond = "an extent of file 3 ends beyond byte 9223372036854775807: ";
  EXPECT_EQ(problem_of({3, far - 4, 5}), beyond + "offset 9223372036854775803, runs of 5 bytes, 0 steps");
  EXPECT_EQ(problem_of({3, 10, 5, {{3, far / 2, 0}}}), beyond + "offset 10, runs of 5 bytes, 1 steps");
  EXPECT_EQ(problem_of({3, 10, 5, {{far / 4, 8, 0}, {2, 0, 0}}}), beyond + "offset 10, runs of 5 bytes, 2 steps");
  EXPECT_EQ(problem_of({3, 10, 1 << 30, {{1 << 30, 0, 0}, {1 << 30, 0, 0}}}),
            beyond + "offset 10, runs of 1073741824 bytes, 2 steps");
  EXPECT_EQ(problem_of({3, 10, 1, Steps(std::vector<Step>(17, {1, 1, 1}))}),
            "an extent of file 3 has more than 16 steps: offset 10, runs of 1 bytes, 17 steps");
  EXPECT_FALSE(thrown([] { (void)AccessPlan::for_writing({{3, far - 5, 5}}); }));
}

struct Nothing final : Encoder {
  void fill(ByteRange, std::span<std::byte>) const override {}
};

TEST(AccessPlan, CodedExtentsStayApart) {
  const Nothing one;
  const Nothing other;
  const auto piece = [](std::int64_t at, const Encoder& encoder) {
    Extent extent = contiguous(0, {at, 5}, address(at));  // an address beside an encoder means nothing
    extent.encoder = &encoder;
    return extent;
  };
  EXPECT_EQ(extents_of(AccessPlan::for_writing({piece(0, one), piece(5, other)})),
            (std::vector<Extent>{piece(0, one), piece(5, other)}));
}

TEST(AccessPlan, CodedExtentsMustAscendInTheFile) {
  const Nothing nothing;
  const Extent interleaving{.run_bytes = 1, .steps = {{3, 5, 0}, {2, 7, 0}}, .encoder = &nothing};
  const auto error = thrown([&] { (void)AccessPlan::for_writing({interleaving}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_NE(error->parts().problem.find("its steps interleave in the file"), std::string::npos);
  const Extent nested{.run_bytes = 1, .steps = {{3, 5, 0}, {2, 2, 0}}, .encoder = &nothing};
  EXPECT_EQ(extents_of(AccessPlan::for_writing({nested})), std::vector<Extent>{nested});
}

TEST(AccessPlan, KnowsHowFarItWasMovedAlong) {
  EXPECT_TRUE(rc::check([] {
    const AccessPlan plan = AccessPlan::for_reading(test::any_extents(5, 60));
    const std::int64_t distance = test::any_number(0, 1000);
    AccessPlan moved = plan;
    moved.move_along(distance);
    RC_ASSERT(moved.distance_from(plan) == (plan.empty() ? 0 : distance));
    AccessPlan back = moved;
    back.move_along(-distance);
    RC_ASSERT(extents_of(back) == extents_of(plan));
    std::vector<Extent> expected = extents_of(plan);
    for (Extent& extent : expected) extent.offset_bytes += distance;
    RC_ASSERT(extents_of(moved) == expected);
    for (const int file : plan.files()) {
      const std::int64_t at = test::any_number(0, 2000);
      RC_ASSERT(moved.next_byte(file, at) == AccessPlan::for_reading(expected).next_byte(file, at));
    }
  }));
}

TEST(AccessPlan, AnyDifferenceInTheFileIsNoDistance) {
  const Extent extent{.file = 1, .offset_bytes = 10, .run_bytes = 4, .steps = {{3, 12, 4}}, .memory = address(1)};
  const AccessPlan plan = AccessPlan::for_writing({extent});
  const auto distance = [&](auto&& change, std::vector<Extent> more = {}) {
    more.push_back(extent);
    change(more.back());
    return AccessPlan::for_writing(more).distance_from(plan);
  };
  EXPECT_EQ(distance([](Extent&) {}), 0);
  EXPECT_EQ(distance([](Extent& each) { each.memory = address(2000); }), 0);
  EXPECT_EQ(distance([](Extent& each) { each.steps[0].memory_stride_bytes = 8; }), 0);
  EXPECT_EQ(distance([](Extent& each) { each.offset_bytes = 3; }), -7);
  EXPECT_EQ(distance([](Extent& each) { each.file = 0; }), std::nullopt);
  EXPECT_EQ(distance([](Extent& each) { each.run_bytes = 5; }), std::nullopt);
  EXPECT_EQ(distance([](Extent& each) { each.steps[0].count = 4; }), std::nullopt);
  EXPECT_EQ(distance([](Extent& each) { each.steps[0].file_stride_bytes = 13; }), std::nullopt);
  EXPECT_EQ(distance([](Extent& each) { each.steps = {}; }), std::nullopt);
  EXPECT_EQ(distance([](Extent&) {}, {contiguous(1, {1000, 1}, address(1))}), std::nullopt);
  EXPECT_EQ(AccessPlan().distance_from(plan), std::nullopt);
  EXPECT_EQ(AccessPlan().distance_from(AccessPlan()), 0);
}

TEST(AccessPlan, TakesTheMemorySideAlone) {
  const Extent extent{.offset_bytes = 10, .run_bytes = 4, .steps = {{3, 12, 4}}, .memory = address(1)};
  Extent other = extent;
  other.offset_bytes = 50;
  other.memory = address(900);
  other.steps[0].memory_stride_bytes = -20;
  AccessPlan plan = AccessPlan::for_writing({extent});
  plan.take_memory_of(AccessPlan::for_writing({other}));
  other.offset_bytes = 10;
  EXPECT_EQ(extents_of(plan), std::vector<Extent>{other});
}

}  // namespace
}  // namespace sill
