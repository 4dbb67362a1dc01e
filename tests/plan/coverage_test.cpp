// What plans touch together, against a map of bytes.
#include "sill/plan/coverage.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "plan/any_extent.hpp"
#include "sill/base/error.hpp"
#include "store/thrown.hpp"
#include "support/any_number.hpp"

namespace sill {
namespace {

using test::any_number;
using test::thrown;

// Plans of some ranks; each is in itself without overlap, together they need not be.
struct Plans {
  std::vector<AccessPlan> plans;
  std::vector<OwnedPlan> owned;
  std::vector<std::vector<Extent>> extents;

  void add(int rank, std::vector<Extent> of_rank, AccessPlan plan) {
    extents.push_back(std::move(of_rank));
    plans.push_back(std::move(plan));
    ranks_.push_back(rank);
    owned.clear();
    for (std::size_t i = 0; i < plans.size(); ++i) owned.push_back({&plans[i], ranks_[i]});
  }

  // Who touches which byte of file 0, with repetition.
  [[nodiscard]] std::map<std::int64_t, std::vector<int>> touched(ByteRange window) const {
    std::map<std::int64_t, std::vector<int>> map;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      for (const std::int64_t at : test::places_in(0, extents[i])) {
        if (at >= window.offset && at < window.end()) map[at].push_back(ranks_[i]);
      }
    }
    return map;
  }

 private:
  std::vector<int> ranks_;
};

std::vector<std::int64_t> keys_of(const std::map<std::int64_t, std::vector<int>>& map) {
  std::vector<std::int64_t> keys;
  for (const auto& [at, ranks] : map) keys.push_back(at);
  return keys;
}

Plans any_plans(bool writing, std::int64_t last_offset) {
  Plans plans;
  const int ranks = any_number<int>(1, 3);
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Extent> extents;
    if (!writing) extents = test::any_extents(3, last_offset);
    for (std::int64_t more = writing ? any_number(0, 3) : 0; more > 0; --more) {
      extents.push_back(test::nested_extent());
      extents.back().offset_bytes = any_number(0, last_offset);
      if (thrown([&] { (void)AccessPlan::for_writing(extents); })) extents.pop_back();
    }
    AccessPlan plan = writing ? AccessPlan::for_writing(extents) : AccessPlan::for_reading(extents);
    plans.add(rank * 3 + 1, std::move(extents), std::move(plan));
  }
  return plans;
}

ByteRange any_window(std::int64_t end) {
  const auto first = any_number(0, end - 1);
  return {first, any_number(1, end - first)};
}

std::string in_words(const Error& error) {
  return error.parts().problem + ": " + std::to_string(error.parts().where.byte.value_or(-1));
}

// Every message that would report a real overlap of two ranks.
std::set<std::string> overlaps_in(const std::map<std::int64_t, std::vector<int>>& touched) {
  std::set<std::string> messages;
  for (const auto& [at, ranks] : touched) {
    for (std::size_t a = 0; a < ranks.size(); ++a) {
      for (std::size_t b = a + 1; b < ranks.size(); ++b) {
        messages.insert("ranks " + std::to_string(std::min(ranks[a], ranks[b])) + " and " +
                        std::to_string(std::max(ranks[a], ranks[b])) +
                        " both write the same byte: " + std::to_string(at));
      }
    }
  }
  return messages;
}

TEST(Coverage, WrittenIsWhatRanksWriteAndNoByteTwice) {
  EXPECT_TRUE(rc::check([] {
    const Plans plans = any_plans(true, *rc::gen::element<std::int64_t>(30, 300, 3000));
    const ByteRange window = any_window(*rc::gen::element<std::int64_t>(30, 300, 3000));
    const auto touched = plans.touched(window);
    const std::set<std::string> overlaps = overlaps_in(touched);
    std::vector<ByteRange> written;
    const auto error = thrown([&] { written = written_within(0, window, plans.owned); });
    RC_CLASSIFY(error.has_value());
    RC_ASSERT(error.has_value() == !overlaps.empty());
    if (error) {
      RC_ASSERT(error->code() == ErrorCode::usage);
      RC_ASSERT(overlaps.count(in_words(*error)) == 1);
    } else {
      RC_ASSERT(written == test::ranges_of(keys_of(touched)));
    }
    // The check alone comes to the same.
    RC_ASSERT(thrown([&] { require_disjoint(0, window, plans.owned); }).has_value() == !overlaps.empty());
  }));
}

// A window of `length` bytes cut into runs that are distributed to `ranks` as strided and contiguous extents.
Plans full_window(std::uint64_t seed, ByteRange window, int ranks) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<Extent>> extents(static_cast<std::size_t>(ranks));
  for (std::int64_t at = window.offset; at < window.end();) {
    auto& of_rank = extents[random() % extents.size()];
    const std::int64_t left = window.end() - at;
    const auto run = static_cast<std::int64_t>(1 + random() % 9);
    const auto count = static_cast<std::int64_t>(2 + random() % 5);
    if (random() % 2 == 0 || 2 * run * count > left) {
      of_rank.push_back({.offset_bytes = at, .run_bytes = std::min(run, left)});
      at += std::min(run, left);
    } else {  // two that interleave
      of_rank.push_back({.offset_bytes = at, .run_bytes = run, .steps = {{count, 2 * run, 0}}});
      extents[random() % extents.size()].push_back(
          {.offset_bytes = at + run, .run_bytes = run, .steps = {{count, 2 * run, 0}}});
      at += 2 * run * count;
    }
  }
  Plans plans;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Extent>& of_rank = extents[static_cast<std::size_t>(rank)];
    AccessPlan plan = AccessPlan::for_writing(of_rank);
    plans.add(rank, std::move(of_rank), std::move(plan));
  }
  return plans;
}

TEST(Coverage, AFullWindowIsOneRange) {
  EXPECT_TRUE(rc::check([] {
    const ByteRange window{any_number(0, 99), any_number(1, 399)};
    const Plans plans = full_window(*rc::gen::arbitrary<std::uint64_t>(), window, any_number<int>(1, 4));
    RC_ASSERT(written_within(0, window, plans.owned) == std::vector<ByteRange>{window});
    const ByteRange part{window.offset + window.length / 3, window.length - window.length / 2};
    RC_ASSERT(written_within(0, part, plans.owned) == std::vector<ByteRange>{part});
    RC_ASSERT(written_within(0, {window.offset, window.length + 1}, plans.owned) == std::vector<ByteRange>{window});
  }));
}

// As many bytes as the window is long, but one twice and another not at all: no count would show it.
TEST(Coverage, AWindowOfTheRightLengthNeedNotBeFull) {
  for (std::int64_t wrong = 0; wrong < 100; ++wrong) {
    const std::int64_t stray = (wrong * 37 + 50) % 100;
    Plans plans;
    std::vector<Extent> others;
    for (std::int64_t at = 0; at < 100; ++at) {
      if (at != wrong) others.push_back({.offset_bytes = at, .run_bytes = 1});
    }
    AccessPlan all_but_one = AccessPlan::for_writing(others);
    plans.add(0, others, std::move(all_but_one));
    const std::vector<Extent> one{{.offset_bytes = stray, .run_bytes = 1}};
    plans.add(1, one, AccessPlan::for_writing(one));
    const auto error = thrown([&] { (void)written_within(0, {0, 100}, plans.owned); });
    EXPECT_EQ(error.has_value(), stray != wrong);
    if (error) {
      EXPECT_EQ(in_words(*error), "ranks 0 and 1 both write the same byte: " + std::to_string(stray));
    }
  }
}

TEST(Coverage, ALongExtentHidingShortOnesIsAnOverlap) {
  Plans plans;
  const std::vector<Extent> bounding_range{{.offset_bytes = 0, .run_bytes = 100}};
  const std::vector<Extent> hidden{{.offset_bytes = 50, .run_bytes = 1}};
  plans.add(4, hidden, AccessPlan::for_writing(hidden));
  plans.add(2, bounding_range, AccessPlan::for_writing(bounding_range));
  const auto error = thrown([&] { require_disjoint(0, {0, 1000}, plans.owned); });
  ASSERT_TRUE(error);
  EXPECT_EQ(in_words(*error), "ranks 2 and 4 both write the same byte: 50");
  EXPECT_EQ(error->parts().where.item, 0);
  EXPECT_EQ(error->parts().where.item_word, overlapped_file);
  EXPECT_FALSE(error->parts().action.empty());
  EXPECT_FALSE(thrown([&] { require_disjoint(0, {51, 1000}, plans.owned); }));  // nobody else's there
  EXPECT_FALSE(thrown([&] { require_disjoint(1, {0, 1000}, plans.owned); }));
}

constexpr std::int64_t page = 4096;

// What is read: everything wanted; gaps of more than a page only while they waste less than is wanted.
TEST(Coverage, ReadIsWhatRanksReadAndLittleMore) {
  EXPECT_TRUE(rc::check([] {
    const Plans plans = any_plans(false, *rc::gen::element<std::int64_t>(30, 3000, 100'000));
    const ByteRange window = any_window(*rc::gen::element<std::int64_t>(30, 3000, 100'000));
    const std::vector<ByteRange> read = read_within(0, window, plans.owned);
    const std::vector<ByteRange> wanted = test::ranges_of(keys_of(plans.touched(window)));
    auto next = wanted.begin();
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (i > 0) RC_ASSERT(read[i].offset - read[i - 1].end() > page);
      // It begins and ends with a wanted byte.
      RC_ASSERT(next != wanted.end());
      RC_ASSERT(read[i].offset == next->offset);
      std::int64_t wasted = 0;
      std::int64_t solid = next->length;  // with the gaps that are no waste, for whole pages are read anyhow
      while (next + 1 != wanted.end() && (next + 1)->offset < read[i].end()) {
        const std::int64_t gap = (next + 1)->offset - next->end();
        if (gap > page) {
          wasted += gap;
          RC_ASSERT(wasted <= solid);
        } else {
          solid += gap;
        }
        ++next;
        solid += next->length;
      }
      RC_ASSERT(next->end() == read[i].end());
      ++next;
    }
    RC_ASSERT(next == wanted.end());
  }));
}

TEST(Coverage, WideGapsAreReadOverWhileTheyCostLessThanARequest) {
  const auto read = [](std::vector<Extent> extents) {
    Plans plans;
    AccessPlan plan = AccessPlan::for_reading(extents);
    plans.add(0, std::move(extents), std::move(plan));
    return read_within(0, {0, 1 << 20}, plans.owned);
  };
  const auto piece = [](std::int64_t offset, std::int64_t length) {
    return Extent{.offset_bytes = offset, .run_bytes = length};
  };
  EXPECT_EQ(read({piece(0, 1), piece(4097, 1)}), (std::vector<ByteRange>{{0, 4098}}));
  EXPECT_EQ(read({piece(0, 1), piece(4098, 1)}), (std::vector<ByteRange>{{0, 1}, {4098, 1}}));
  EXPECT_EQ(read({piece(0, 10'000), piece(20'000, 1)}), (std::vector<ByteRange>{{0, 20'001}}));
  EXPECT_EQ(read({piece(0, 9'999), piece(20'000, 1)}), (std::vector<ByteRange>{{0, 9'999}, {20'000, 1}}));
  // What is read twice is wanted once.
  EXPECT_EQ(read({piece(0, 5'000), piece(1, 5'000), piece(12'000, 1)}),
            (std::vector<ByteRange>{{0, 5'001}, {12'000, 1}}));
  // Strides of less than a page are one range however many runs.
  EXPECT_EQ(read({{.run_bytes = 1, .steps = {{200, 4000, 0}}}}), (std::vector<ByteRange>{{0, 199 * 4000 + 1}}));
}

TEST(Coverage, WindowsWithoutPlansAreEmpty) {
  EXPECT_TRUE(written_within(0, {0, 10}, {}).empty());
  EXPECT_TRUE(read_within(0, {0, 10}, {}).empty());
  EXPECT_FALSE(thrown([] { require_disjoint(0, {0, 10}, std::vector<OwnedPlan>{}); }));
}

}  // namespace
}  // namespace sill
