// How a sort chooses its method: a look at the survey that all ranks believe.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "io/survey_files.hpp"
#include "sill/store/meter_store.hpp"
#include "sill/survey/output/make_survey.hpp"
#include "sill/survey/sort/sort.hpp"
#include "sill/survey/sort/sort_probe.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/fault_store.hpp"
#include "support/world.hpp"
#include "survey/sort_files.hpp"

namespace sill {
namespace {

using test::same_everywhere;
using test::thrown;
using test::world;

class SortChoiceMpi : public testing::Test {
 protected:
  Communicator& comm = world();
  test::SharedFolder folder{comm};

  // More than what is sorted unseen: 70 MB.
  void make_large() {
    segy::SurveyOptions survey;
    survey.traces = 16'000;
    survey.samples = 1'040;
    survey.channels = 40;
    make_survey({comm}, survey, folder / "in");
    comm.barrier();
  }
  [[nodiscard]] SortOptions options(const std::string& keys) const {
    SortOptions wanted;
    wanted.output = folder / "out";
    wanted.keys = segy::TraceKey::parse_list(keys);
    return wanted;
  }
  static std::string stated(const PermutationChoice& choice) {
    std::string text = std::string(name_of(choice.method)) + choice.why;
    for (const std::string& finding : choice.findings) text += "\n" + finding;
    for (const PermutationEstimate& estimate : choice.estimates) text += "\n" + estimate.how;
    return text;
  }
  PermutationFacts looked(const SurveyReader& reader, const std::string& keys) const {
    PermutationFacts facts;
    facts.items = reader.traces();
    facts.item_bytes = reader.trace_bytes();
    facts.memory_bytes = 8 << 20;
    facts.cacheable_bytes = 20 << 20;
    const auto parsed = segy::TraceKey::parse_list(keys);
    look_at<2>({comm}, reader, parsed, 1 << 20, facts);
    return facts;
  }
};

TEST_F(SortChoiceMpi, EveryRankKnowsWhatRankZeroFound) {
  make_large();
  const Resources resources{comm};
  const SurveyReader reader(resources, {folder / "in"});
  const PermutationFacts in_order = looked(reader, "tracl");
  EXPECT_TRUE(in_order.looked);
  EXPECT_NEAR(static_cast<double>(in_order.items_looked_at), 512, 16);  // stretches do not divide it evenly
  EXPECT_GT(in_order.joined_in_chunk, 0.98);
  EXPECT_GT(in_order.request_s, 0);
  EXPECT_GT(in_order.read_s_per_byte, 0);
  const PermutationFacts transformed = looked(reader, "offset,cdp");
  EXPECT_LT(transformed.joined_in_chunk, 0.3);
  for (const PermutationFacts& facts : {in_order, transformed}) {
    const auto* bytes = reinterpret_cast<const char*>(&facts);
    EXPECT_TRUE(same_everywhere(comm, std::string(bytes, sizeof facts)));
  }
  comm.barrier();
}

TEST_F(SortChoiceMpi, LooksAtLittle) {
  make_large();
  Meter meter;
  Resources resources{comm};
  resources.open = metered(open_posix, meter);
  const SurveyReader reader(resources, {folder / "in"});
  const std::int64_t requests = meter.read_requests;
  const std::int64_t bytes = meter.read_bytes;
  (void)looked(reader, "offset,cdp");
  EXPECT_LT(meter.read_requests - requests, comm.rank() == 0 ? 700 : 1);
  EXPECT_LT(meter.read_bytes - bytes, comm.rank() == 0 ? 6 << 20 : 1) << "five long reads, 64 traces, and headers";
  comm.barrier();
}

TEST_F(SortChoiceMpi, AllRanksTellTheSameChoiceAndItsBytesAreThoseOfEveryMethod) {
  make_large();
  test::Bytes expected;
  for (const std::int64_t memory_bytes : {std::int64_t{0}, std::int64_t{4} << 20}) {
    Resources resources{comm};
    resources.memory_bytes = memory_bytes;
    SortOptions wanted = options("offset,cdp");
    std::string explained;
    wanted.explain = [&](const PermutationChoice& choice) { explained = stated(choice); };
    const SortResult chosen = test::sort_files(resources, {folder / "in"}, wanted);
    EXPECT_EQ(chosen.choice.estimates.size(), 3U);
    EXPECT_EQ(stated(chosen.choice), explained);
    EXPECT_TRUE(same_everywhere(comm, explained)) << explained;
    comm.barrier();
    const test::Bytes found = test::bytes_of_file(folder / "out");
    if (expected.empty()) expected = found;
    EXPECT_TRUE(found == expected);
    if (memory_bytes == 0) continue;
    for (const PermutationMethod method : all_permutation_methods) {
      comm.barrier();
      wanted.method = method;
      EXPECT_EQ(test::sort_files(resources, {folder / "in"}, wanted).choice.method, method);
      comm.barrier();
      EXPECT_TRUE(test::bytes_of_file(folder / "out") == expected) << name_of(method);
    }
    comm.barrier();
  }
}

TEST_F(SortChoiceMpi, WhatIsSmallIsNotLookedAt) {
  folder.put("in", test::survey_bytes(test::small_survey(100)));
  Resources resources{comm};
  std::string explained;
  SortOptions wanted = options("offset,cdp");
  wanted.explain = [&](const PermutationChoice& choice) { explained = stated(choice); };
  EXPECT_EQ(test::sort_files(resources, {folder / "in"}, wanted).choice.method, PermutationMethod::gather);
  EXPECT_NE(explained.find("nothing was measured"), std::string::npos) << explained;
}

TEST_F(SortChoiceMpi, AFaultOfTheLookIsTheErrorOfAll) {
  make_large();
  for (const std::int64_t nth : {20, 60, 150}) {  // reads of the look; those before describe the file
    Fault fault{.call = Fault::Call::read, .nth = nth};
    Resources resources{comm};
    if (comm.rank() == 0) resources.open = faulty(open_posix, fault);
    const auto error = thrown([&] { (void)test::sort_files(resources, {folder / "in"}, options("cdp,offset")); });
    ASSERT_TRUE(error);
    EXPECT_TRUE(same_everywhere(comm, error->what()));
    EXPECT_EQ(error->parts().rank, 0);
    EXPECT_EQ(error->code(), ErrorCode::io);
    comm.barrier();
  }
}

}  // namespace
}  // namespace sill
