// Gathers by any keys, against a plain stable sort of all traces.
#include "sill/survey/geometry/gathers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "io/survey_files.hpp"
#include "io/varying_files.hpp"
#include "sill/survey/geometry/geometry.hpp"
#include "sill/survey/output/make_survey.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/memory.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::Bytes;

std::vector<segy::TraceKey> keys_of(const std::string& list, const SurveyReader& reader) {
  return list.empty() ? std::vector<segy::TraceKey>() : segy::TraceKey::parse_list(list, reader.words());
}

// The gathers of a survey, one trace list each, by sorting in one place.
std::vector<std::vector<std::int64_t>> plain_gathers(const SurveyReader& reader, const std::string& by,
                                                     const std::string& then) {
  const std::vector<segy::TraceKey> keys = keys_of(by, reader);
  const std::vector<segy::TraceKey> within = keys_of(then, reader);
  const auto code_of = [](const std::vector<segy::TraceKey>& list, const HeaderBlock& block) {
    std::string code;
    for (const segy::TraceKey& key : list) {
      std::string bytes(static_cast<std::size_t>(key.packed_bytes()), '\0');
      key.pack(block.view(0), reinterpret_cast<std::byte*>(bytes.data()));
      code += bytes;
    }
    return code;
  };
  std::map<std::string, std::multimap<std::string, std::int64_t>> all;
  for (std::int64_t trace = 0; trace < reader.traces(); ++trace) {
    reader.scan_headers({trace, 1}, {0, segy::trace_header_bytes}, 1, [&](const HeaderBlock& block, int) {
      all[code_of(keys, block)].emplace(code_of(within, block), trace);
    });
  }
  std::vector<std::vector<std::int64_t>> gathers;
  for (const auto& [key, traces] : all) {
    gathers.emplace_back();
    for (const auto& [order, trace] : traces) gathers.back().push_back(trace);
  }
  return gathers;
}

class GathersMpi : public testing::Test {
 protected:
  Communicator& comm = test::world();
  test::SharedFolder folder{comm};
  Resources resources{comm};
};

TEST_F(GathersMpi, AreThoseOfAPlainSort) {
  folder.put("a", test::survey_bytes(test::small_survey(61)));
  folder.put("b", test::survey_bytes(test::small_survey(40, 2)));
  const SurveyReader reader(resources, {folder / "a", folder / "b"});
  for (const auto& [by, then] : std::vector<std::pair<std::string, std::string>>{{"cdp", ""},
                                                                                 {"cdp", "offset"},
                                                                                 {"-fldr", "-tracf"},
                                                                                 {"file,offset", ""},
                                                                                 {"@29:i2", "cdp"},
                                                                                 {"tracl", ""},
                                                                                 {"fldr,cdp", "calc_offset"}}) {
    const std::vector<std::vector<std::int64_t>> expected = plain_gathers(reader, by, then);
    reader.require_sample_format();
    const Gathers gathers(resources, reader, keys_of(by, reader), keys_of(then, reader));
    ASSERT_EQ(gathers.all(), std::ssize(expected)) << by;
    std::int64_t number = gathers.first();
    for (const Gather gather : gathers) {
      const std::vector<std::int64_t>& wanted = expected[static_cast<std::size_t>(number++)];
      EXPECT_EQ(std::vector(gather.traces().begin(), gather.traces().end()), wanted) << by;
      // What it reads is what the traces hold.
      const std::vector<std::byte> headers = gather.headers();
      const std::vector<float> samples = gather.samples();
      ASSERT_EQ(std::ssize(samples), gather.samples_count());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        Bytes trace(static_cast<std::size_t>(reader.trace_bytes()));
        reader.read_own({wanted[i], 1}, trace);
        EXPECT_TRUE(
            std::equal(trace.begin(), trace.begin() + 240, headers.begin() + static_cast<std::ptrdiff_t>(240 * i)));
        std::vector<float> own(11);
        reader.read_own_samples(std::vector{wanted[i]}, own);
        EXPECT_TRUE(std::equal(own.begin(), own.end(), samples.begin() + static_cast<std::ptrdiff_t>(11 * i)));
      }
      if (by == "cdp") {
        const segy::WordValue cdp = segy::read_word(headers.data(), 21, {}, ByteOrder::big);
        EXPECT_EQ(gather.values().at(0), cdp);
      }
    }
    EXPECT_EQ(number, gathers.first() + gathers.size());
    std::int64_t after = gathers.first() + gathers.size();
    const std::vector<std::int64_t> ends = all_gather(comm, after);
    EXPECT_EQ(ends.back(), gathers.all()) << "the shares follow one another";
  }
}

TEST_F(GathersMpi, SamplesAreThoseOfReadSamples) {
  folder.put("a", test::survey_bytes(test::small_survey(30)));
  const SurveyReader reader(resources, {folder / "a"});
  std::vector<float> all(30 * 11);
  reader.read_samples({0, 30}, all);
  reader.require_sample_format();
  const Gathers gathers(resources, reader, keys_of("cdp", reader));
  for (const Gather gather : gathers) {
    const std::vector<float> samples = gather.samples();
    for (std::size_t i = 0; i < gather.traces().size(); ++i) {
      const auto from = all.begin() + 11 * gather.traces()[i];
      EXPECT_TRUE(std::equal(from, from + 11, samples.begin() + static_cast<std::ptrdiff_t>(11 * i)));
    }
  }
}

TEST_F(GathersMpi, SortOnlyWhatIsNotInOrder) {
  folder.put("a", test::survey_bytes(test::small_survey(70)));
  const SurveyReader reader(resources, {folder / "a"});
  EXPECT_TRUE(Gathers(resources, reader, keys_of("fldr", reader), keys_of("tracf", reader)).were_in_order());
  EXPECT_FALSE(Gathers(resources, reader, keys_of("-fldr", reader)).were_in_order());
}

TEST_F(GathersMpi, OfOneGatherAndOfNoTrace) {
  folder.put("a", test::survey_bytes(test::small_survey(50)));
  const SurveyReader reader(resources, {folder / "a"});
  const Gathers one(resources, reader, keys_of("file", reader));
  EXPECT_EQ(one.all(), 1);
  EXPECT_EQ(one.size(), comm.rank() == 0 ? 1 : 0);
  if (comm.rank() == 0) {
    EXPECT_EQ(one[0].size(), 50);
  }
  folder.put("none", test::header_of(test::survey_bytes(test::small_survey(1))));
  const SurveyReader empty(resources, {folder / "none"});
  const Gathers none(resources, empty, keys_of("cdp", empty));
  EXPECT_EQ(none.all(), 0);
  EXPECT_EQ(none.begin(), none.end());
}

TEST_F(GathersMpi, RefuseNoKeysAndTooMany) {
  folder.put("a", test::survey_bytes(test::small_survey(5)));
  const SurveyReader reader(resources, {folder / "a"});
  EXPECT_EQ(test::thrown([&] { Gathers(resources, reader, {}); })->code(), ErrorCode::usage);
  const std::vector<segy::TraceKey> many(17, segy::TraceKey::parse("cdp"));
  EXPECT_EQ(test::thrown([&] { Gathers(resources, reader, many); })->code(), ErrorCode::usage);
}

TEST_F(GathersMpi, AFaultOnOneRankIsToldByAll) {
  folder.put("a", test::survey_bytes(test::small_survey(3000)));
  for (int rank = 0; rank < comm.size(); ++rank) {
    for (const bool geometry : {true, false}) {
      int struck = 0;
      for (std::int64_t nth = 1; nth < 8; ++nth) {
        test::RankFault fault(comm, rank, Fault::Call::read, Fault::Kind::fails, nth);
        Resources faulty{.comm = comm, .open = fault.in(open_posix)};
        faulty.policy.threads = 1;
        struck += fault.is_stated_by(test::thrown([&] {
          const SurveyReader reader(faulty, {folder / "a"});
          if (geometry) {
            (void)find_geometry(faulty, reader);
          } else {
            (void)Gathers(faulty, reader, keys_of("cdp", reader));
          }
        }))
                      ? 1
                      : 0;
      }
      EXPECT_GT(struck, 0);
    }
  }
}

// All that geometry holds is counted, against what its documentation promises.
TEST_F(GathersMpi, GeometryHoldsAtMost32BytesATrace) {
  segy::SurveyOptions survey;
  survey.traces = 400'000;
  survey.samples = 1;
  survey.channels = 60;
  make_survey(resources, survey, folder / "in");
  comm.barrier();
  resources.policy.threads = 1;
  const SurveyReader reader(resources, {folder / "in"});
  const test::HeldMemory memory;
  const SurveyGeometry geometry = find_geometry(resources, reader);
  EXPECT_EQ(geometry.kind, SurveyKind::shot_gathers);
  const std::int64_t held = all_reduce(comm, memory.max_bytes(), Reduction::sum);
  // Beside it: rows of the look at 4,096 traces, in two copies, and a buffer of headers per thread.
  constexpr std::int64_t beside = 8 << 20;
  EXPECT_LT(held, 32 * survey.traces + beside * comm.size());
  EXPECT_GT(held, 8 * survey.traces) << "the count works";
}

}  // namespace
}  // namespace sill
