// Checking by several ranks: duplicates against a plain search, and faults of any rank.
#include <gtest/gtest.h>

#include <rapidcheck.h>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "io/survey_files.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/check/check.hpp"
#include "sill/survey/check/duplicate_traces.hpp"
#include "sill/survey/check/trace_tally.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/fault_store.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::world;

// Traces of which few or many repeat, distributed to the ranks.
TEST(DuplicateTraces, AreThoseOfAPlainSearch) {
  Communicator& comm = world();
  EXPECT_TRUE(rc::check([&] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto traces = *rc::gen::element<std::int64_t>(0, 1, 2, 7, 100, 2000);
    const auto contents = *rc::gen::element<std::uint64_t>(1, 2, 5, 500, 1'000'000);
    const auto max_listed = *rc::gen::element<std::size_t>(0, 1, 10);
    std::mt19937_64 random(seed);
    std::vector<KeyRecord<2>> all;
    std::map<std::array<std::uint64_t, 2>, std::int64_t> seen;
    DuplicateTraces expected;
    for (std::int64_t trace = 0; trace < traces; ++trace) {
      const std::array<std::uint64_t, 2> content{random() % contents, random() % 2};
      all.push_back({content, trace});
      const auto [first, is_new] = seen.emplace(content, trace);
      if (is_new) continue;
      if (expected.repeats++ < static_cast<std::int64_t>(max_listed)) expected.first.push_back({first->second, trace});
    }
    const ItemRange own = block_of(traces, comm.size(), comm.rank());
    const DuplicateTraces found = find_duplicates(comm, {all.begin() + own.first, all.begin() + own.end()}, max_listed);
    RC_ASSERT(
        test::everywhere(comm, [&] { return found.repeats == expected.repeats && found.first == expected.first; }));
  }));
}

// Every fault of every rank is the error of all, and none leaves a rank waiting.
TEST(Check, FaultsAreToldByAllRanks) {
  Communicator& comm = world();
  const test::SharedFolder folder(comm);
  folder.put("in.sgy", test::survey_bytes(test::small_survey(50)));
  test::for_each_fault(
      comm, {.calls = {Fault::Call::open, Fault::Call::read}, .numbers = {1, 2, 3, 5, 9, 17}},
      [&](test::RankFault& fault) {
        Resources resources{comm};
        resources.policy.threads = 1;
        resources.open = fault.in(resources.open);
        return fault.is_stated_by(test::thrown([&] { (void)check(resources, folder / "in.sgy", {}); }));
      });
}

// Without memory for it duplicates are not looked for, and that is reported.
TEST(Check, DuplicatesAreNotSoughtWithoutMemory) {
  Communicator& comm = world();
  const test::SharedFolder folder(comm);
  test::Bytes bytes = test::survey_bytes(test::small_survey(50));
  constexpr std::size_t trace_bytes = 240 + 4 * 11;
  std::copy_n(bytes.end() - static_cast<std::ptrdiff_t>(trace_bytes), trace_bytes, bytes.begin() + 3600);
  folder.put("in.sgy", bytes);
  for (const std::int64_t memory : {std::int64_t{1}, std::int64_t{1} << 20}) {
    Resources resources{comm};
    resources.memory_bytes = memory;
    const CheckResult result = check(resources, folder / "in.sgy", {.geometry = false});
    const auto tells = [&](std::string_view kind) {
      return std::ranges::any_of(result.findings, [&](const Finding& finding) { return finding.kind == kind; });
    };
    EXPECT_EQ(tells("duplicates-not-sought"), memory == 1);
    EXPECT_EQ(tells("duplicate-traces"), memory != 1);
  }
}

// Without the memory for the geometry the rest is reported, and so is its absence.
TEST(Check, TheRestIsToldWithoutMemoryForTheGeometry) {
  Communicator& comm = world();
  const test::SharedFolder folder(comm);
  folder.put("in.sgy", test::survey_bytes(test::small_survey(50)));
  // Of no limit, the geometry takes what the buffers leave.
  for (const std::int64_t limit : {std::int64_t{1}, std::int64_t{0}}) {
    Resources resources{comm};
    resources.memory_bytes = 1;
    resources.limit_bytes = limit;
    const CheckResult result = check(resources, folder / "in.sgy", {});
    EXPECT_EQ(result.geometry.has_value(), limit == 0);
    EXPECT_EQ(result.no_geometry.find("raise the memory limit") != std::string::npos, limit == 1);
    EXPECT_EQ(result.amplitudes.samples, 50 * 11);
  }
}

// The values of a wide word are counted up to a limit, the same ones in whatever order the traces come.
TEST(TraceTally, CountsTheSmallestValuesOfAWideWord) {
  constexpr auto max = static_cast<std::int64_t>(TraceTally::max_values);
  constexpr std::int64_t traces = max + 1000;
  std::array<CountedPlace, counted_words> places{};
  places[static_cast<std::size_t>(CountedWord::coordinate_scalar)] = {5, {segy::WordKind::signed_integer, 4}};
  const auto counted = [&](auto&& value_of) {
    TraceTally tally({}, places, {});
    std::array<std::byte, 240> header{};
    for (std::int64_t trace = 0; trace < traces; ++trace) {
      store<std::int32_t>(header.data() + 4, static_cast<std::int32_t>(value_of(trace)), ByteOrder::big);
      tally.see_headers(trace, header.data());
    }
    return tally;
  };
  const TraceTally up = counted([](std::int64_t trace) { return trace; });
  const TraceTally down = counted([](std::int64_t trace) { return traces - 1 - trace; });
  for (const TraceTally* tally : {&up, &down}) {
    const auto& values = tally->values(CountedWord::coordinate_scalar);
    EXPECT_EQ(values.size(), TraceTally::max_values);
    EXPECT_EQ(values.begin()->first, 0);
    EXPECT_EQ(values.rbegin()->first, max - 1);
    EXPECT_EQ(tally->beyond(CountedWord::coordinate_scalar).traces, 1000);
  }
  EXPECT_EQ(up.beyond(CountedWord::coordinate_scalar).listed().front(), max);
  EXPECT_EQ(down.beyond(CountedWord::coordinate_scalar).listed().front(), 0);
}

}  // namespace
}  // namespace sill
