// Whether samples can be of the format that is stated, of values whose format is known.
#include "sill/formats/segy/samples/sample_format_evidence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "formats/segy/encoded.hpp"
#include "sill/formats/segy/samples/sample_format_diagnostic.hpp"

namespace sill::segy {
namespace {

constexpr SampleFormat all_formats[] = {SampleFormat::ibm_float, SampleFormat::ieee_float, SampleFormat::int32};

using Trace = std::vector<std::byte>;

std::vector<Trace> traces_of(SampleFormat format, ByteOrder order, std::size_t traces = 60, std::size_t samples = 500) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0.0F, 1000.0F);
  std::vector<Trace> all;
  for (std::size_t t = 0; t < traces; ++t) {
    std::vector<float> values(samples);
    for (float& value : values)
      value = std::rint(normal(random) * 64.0F) / (format == SampleFormat::int32 ? 1.0F : 1.7F);
    all.push_back(test::encoded(values, format, order));
  }
  return all;
}

SampleFormatEvidence evidence_of(SampleReading declared, std::span<const Trace> traces) {
  SampleFormatEvidence evidence(declared);
  for (const Trace& trace : traces) evidence.add_trace(trace);
  return evidence;
}

TEST(SampleFormatEvidence, NamesWhatTheSamplesAreAndNothingElse) {
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise}) {
    for (const SampleFormat held : all_formats) {
      const std::vector<Trace> traces = traces_of(held, order);
      for (const SampleFormat declared : all_formats) {
        const SampleFormatResult result = evidence_of({declared, order}, traces).evaluate();
        EXPECT_EQ(result.verdict, declared == held ? SampleVerdict::possible : SampleVerdict::refuted);
        EXPECT_EQ(result.against.has_value(), declared != held);
        const std::vector<SampleReading> expected{{held, order}};
        EXPECT_EQ(result.others, declared == held ? std::vector<SampleReading>{} : expected)
            << name_of(held) << " as " << name_of(declared);
        TraceFormatCheck check({declared, order});
        const auto found = std::ranges::count_if(traces, [&](const Trace& trace) { return check.refutes(trace); });
        // One trace alone does not always say it.
        EXPECT_EQ(found, declared == held ? 0 : std::max<std::ptrdiff_t>(found, std::ssize(traces) / 2));
      }
    }
  }
}

TEST(SampleFormatEvidence, NamesFloatsWhoseBytesAreSwapped) {
  for (const SampleFormat held : {SampleFormat::ibm_float, SampleFormat::ieee_float}) {
    const SampleFormatResult result =
        evidence_of({held, ByteOrder::big}, traces_of(held, ByteOrder::little)).evaluate();
    EXPECT_EQ(result.verdict, SampleVerdict::refuted);
    EXPECT_TRUE(std::ranges::count(result.others, SampleReading{held, ByteOrder::little}) == 1);
  }
}

TEST(SampleFormatEvidence, SaysNothingOfFewValues) {
  std::vector<Trace> traces = traces_of(SampleFormat::ibm_float, ByteOrder::big, 1, 99);
  EXPECT_EQ(evidence_of({SampleFormat::ieee_float, ByteOrder::big}, traces).evaluate().verdict, SampleVerdict::too_few);
  TraceFormatCheck check({SampleFormat::ieee_float, ByteOrder::big});
  EXPECT_FALSE(check.refutes(traces.front()));
  EXPECT_FALSE(check.refutes({}));
  EXPECT_EQ(evidence_of({SampleFormat::ieee_float, ByteOrder::big}, {}).evaluate().distinct_words, 0);
}

TEST(SampleFormatEvidence, TakesFixedPointWithOneExponentForIbm) {
  // Not normalized: the exponent 0x46 means multiples of 1.
  std::mt19937 random(3);
  Trace trace(4 * 1000);
  for (std::size_t i = 0; i < 1000; ++i)
    store(trace.data() + 4 * i, 0x46000000U | (static_cast<std::uint32_t>(random()) & 0x8000FFFFU), ByteOrder::big);
  EXPECT_EQ(evidence_of({SampleFormat::ibm_float, ByteOrder::big}, {&trace, 1}).evaluate().verdict,
            SampleVerdict::possible);
}

TEST(SampleFormatEvidence, PartsAddUpToTheWhole) {
  const SampleReading declared{SampleFormat::ibm_float, ByteOrder::big};
  const std::vector<Trace> traces = traces_of(SampleFormat::ieee_float, ByteOrder::big, 50, 2000);
  const auto sorted = [](std::vector<std::uint32_t> packed) {
    std::ranges::sort(packed);
    return packed;
  };
  const std::vector<std::uint32_t> whole = sorted(evidence_of(declared, traces).packed());
  for (const std::size_t parts : {2U, 3U, 7U}) {
    SampleFormatEvidence joined(declared);
    for (std::size_t part = parts; part-- > 0;) {
      SampleFormatEvidence own(declared);
      for (std::size_t t = part; t < traces.size(); t += parts) own.add_trace(traces[t]);
      joined.merge(own);
    }
    EXPECT_EQ(sorted(joined.packed()), whole);
  }
}

TEST(DistinctWords, HoldsTheSameWordsInAnyOrder) {
  std::mt19937 random(5);
  std::vector<std::uint32_t> words(20'000);
  for (std::uint32_t& word : words) word = 1 + static_cast<std::uint32_t>(random()) % 9000;
  const std::set<std::uint32_t> distinct(words.begin(), words.end());
  const auto held_of = [](std::span<const std::uint32_t> added, std::size_t max_words) {
    DistinctWords set(max_words);
    for (const std::uint32_t word : added) set.add(word);
    const std::vector<std::uint32_t> held = set.words();
    return std::set<std::uint32_t>(held.begin(), held.end());
  };
  EXPECT_EQ(held_of(words, 10'000), distinct);
  const std::set<std::uint32_t> some = held_of(words, 100);
  EXPECT_EQ(some.size(), 100U);
  EXPECT_TRUE(std::ranges::includes(distinct, some));
  std::ranges::reverse(words);
  EXPECT_EQ(held_of(words, 100), some);
}

TEST(SampleFormatDiagnostic, NamesAllThatFitsAndChoosesNone) {
  FileDescription file;
  SampleFormatResult result{.declared = {SampleFormat::ibm_float, ByteOrder::big},
                            .verdict = SampleVerdict::refuted,
                            .distinct_words = 4096,
                            .against = SampleRefutation{SampleRefutation::Rule::huge, 12.0},
                            .others = {{SampleFormat::ieee_float, ByteOrder::big},
                                       {SampleFormat::int32, ByteOrder::big},
                                       {SampleFormat::ibm_float, ByteOrder::little}}};
  const std::optional<Diagnostic> found = sample_format_diagnostic(file, result, {}, false);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->grade, Grade::major);
  EXPECT_EQ(found->where, "bytes 3225-3226");
  EXPECT_NE(found->problem.find("IEEE float, 4 bytes (format 5) or integer, 4 bytes (format 2) or IBM float, 4 bytes "
                                "(format 1) in little-endian order"),
            std::string::npos)
      << found->problem;
  EXPECT_NE(found->action.find("--assume sample_format=5 or --assume sample_format=2"), std::string::npos);
  EXPECT_EQ(sample_format_diagnostic(file, result, {}, true)->grade, Grade::info);
  result.against.reset();
  result.verdict = SampleVerdict::possible;
  EXPECT_EQ(sample_format_diagnostic(file, result, {}, false)->grade, Grade::info);
  result.others.clear();
  EXPECT_FALSE(sample_format_diagnostic(file, result, {}, false));
  const std::vector<std::int64_t> first{3, 8};
  EXPECT_EQ(sample_format_diagnostic(file, result, {.count = 2, .of = 10, .first = first}, false)->where,
            "traces 3, 8");
}

}  // namespace
}  // namespace sill::segy
