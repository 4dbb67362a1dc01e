// Statistics of samples against loops that take one sample after another.
#include "sill/formats/segy/samples/sample_statistics.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "formats/segy/encoded.hpp"
#include "sill/formats/segy/words/trace_hash.hpp"
#include "support/any_number.hpp"

namespace sill::segy {
namespace {

using sill::test::any_number;

constexpr float infinite_float = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

std::vector<std::byte> big_endian_floats(const std::vector<float>& values) {
  return test::encoded(values, SampleFormat::ieee_float, ByteOrder::big);
}

// A trace, in blocks as a reader gives them.
TraceStatistics statistics_of(SampleStatistics& statistics, const std::vector<float>& values) {
  const std::vector<std::byte> bytes = big_endian_floats(values);
  statistics.begin_trace();
  for (std::size_t at = 0; at < values.size(); at += statistics_block_samples) {
    const std::size_t count = std::min(statistics_block_samples, values.size() - at);
    statistics.add(std::span(bytes).subspan(4 * at, 4 * count));
  }
  return statistics.end_trace();
}

TraceStatistics statistics_of(const std::vector<float>& values) {
  SampleStatistics statistics(SampleFormat::ieee_float, ByteOrder::big);
  return statistics_of(statistics, values);
}

// The same by hand.
TraceStatistics statistics_by_hand(const std::vector<float>& values) {
  TraceStatistics all;
  std::vector<double> finite;
  for (const float value : values) {
    ++all.samples;
    if (std::isnan(value)) {
      ++all.nans;
    } else if (std::isinf(value)) {
      ++all.infinities;
    } else {
      finite.push_back(static_cast<double>(value));
    }
  }
  for (const double value : finite) {
    all.smallest = std::min(all.smallest, value);
    all.largest = std::max(all.largest, value);
    all.zeros += value == 0.0 ? 1 : 0;
    all.square_sum += value * value;
  }
  for (std::size_t i = 0; i < finite.size(); ++i) {
    const bool follows = i > 0 && finite[i] == finite[i - 1];
    if (finite[i] == all.smallest) ++all.at_smallest, all.flat_at_smallest += follows ? 1 : 0;
    if (finite[i] == all.largest) ++all.at_largest, all.flat_at_largest += follows ? 1 : 0;
  }
  return all;
}

// Values of a few levels, so that extremes repeat, over several blocks; sometimes not finite, sometimes wild.
std::vector<float> any_levelled_trace() {
  std::vector<float> values(static_cast<std::size_t>(any_number(0, 3000)));
  const std::int64_t levels = any_number(1, 12);
  const bool wild = any_number(0, 3) == 0;
  const bool broken = any_number(0, 3) == 0;
  for (float& value : values) {
    value = static_cast<float>(any_number(-levels, levels));
    if (wild) value = std::ldexp(value, static_cast<int>(any_number(-120, 120)));
    if (broken && any_number(0, 200) == 0) value = any_number(0, 1) == 0 ? not_a_number : -infinite_float;
  }
  return values;
}

RC_GTEST_PROP(SampleStatistics, AreThoseOfAPlainLoop, ()) {
  const std::vector<float> values = any_levelled_trace();
  const TraceStatistics got = statistics_of(values);
  const TraceStatistics want = statistics_by_hand(values);
  RC_ASSERT(got.samples == want.samples);
  RC_ASSERT(got.zeros == want.zeros);
  RC_ASSERT(got.nans == want.nans);
  RC_ASSERT(got.infinities == want.infinities);
  RC_ASSERT(got.smallest == want.smallest);
  RC_ASSERT(got.largest == want.largest);
  RC_ASSERT(got.at_smallest == want.at_smallest);
  RC_ASSERT(got.at_largest == want.at_largest);
  RC_ASSERT(got.flat_at_smallest == want.flat_at_smallest);
  RC_ASSERT(got.flat_at_largest == want.flat_at_largest);
  RC_ASSERT(std::abs(got.square_sum - want.square_sum) <= 1e-12 * want.square_sum);
}

RC_GTEST_PROP(AmplitudeHistogram, BoundsEveryRank, ()) {
  std::vector<double> values(static_cast<std::size_t>(any_number(1, 400)));
  const bool whole = any_number(0, 1) == 0;
  for (double& value : values) {
    const auto number = static_cast<double>(any_number(-1'000'000, 1'000'000));
    value = whole ? number : std::ldexp(number, static_cast<int>(any_number(-300, 300)));
  }
  AmplitudeHistogram histogram;
  histogram.add(values);
  RC_ASSERT(histogram.samples() == std::ssize(values));
  std::ranges::sort(values);
  const std::int64_t rank = any_number(0, std::ssize(values) - 1);
  const double value = values[static_cast<std::size_t>(rank)];
  const BoundedValue bounds = histogram.at_rank(rank, whole);
  RC_ASSERT(bounds.lowest <= value);
  RC_ASSERT(value <= bounds.highest);
  RC_ASSERT(bounds.error() <= std::abs(value) / 256.0);
  if (whole && std::abs(value) < 256.0) RC_ASSERT(bounds.middle() == value);
}

RC_GTEST_PROP(AmplitudeHistogram, BarsHoldEverySampleOnce, ()) {
  std::vector<double> values(static_cast<std::size_t>(any_number(1, 400)));
  for (double& value : values) value = static_cast<double>(any_number(-1000, 1000));
  AmplitudeHistogram histogram;
  histogram.add(values);
  const std::vector<std::int64_t> bars = histogram.bars(-500.0, 500.0, 10);
  std::int64_t sum = 0;
  for (const std::int64_t count : bars) sum += count;
  RC_ASSERT(sum == std::ssize(values));
  // Nothing that lies inside is counted outside, and what lies further outside than a bin is wide is.
  RC_ASSERT(bars.front() <= std::ranges::count_if(values, [](double v) { return v < -500.0; }));
  RC_ASSERT(bars.front() >= std::ranges::count_if(values, [](double v) { return v < -504.0; }));
  RC_ASSERT(bars.back() <= std::ranges::count_if(values, [](double v) { return v > 500.0; }));
  RC_ASSERT(bars.back() >= std::ranges::count_if(values, [](double v) { return v > 504.0; }));
}

RC_GTEST_PROP(ExactSum, DoesNotDependOnTheOrder, ()) {
  std::vector<double> terms(static_cast<std::size_t>(any_number(0, 200)));
  for (double& term : terms)
    term = std::ldexp(static_cast<double>(any_number(0, (std::int64_t{1} << 53) - 1)),
                      static_cast<int>(any_number(-1100, 900)));
  ExactSum forward;
  for (const double term : terms) forward.add(term);
  const auto cut = static_cast<std::size_t>(any_number(0, std::ssize(terms)));
  ExactSum first;
  ExactSum second;
  for (std::size_t i = terms.size(); i-- > 0;) (i < cut ? first : second).add(terms[i]);
  second.merge(first);
  RC_ASSERT(forward.value() == second.value());
  long double plain = 0.0L;
  std::ranges::sort(terms);
  for (const double term : terms) plain += static_cast<long double>(term);
  RC_ASSERT(std::abs(static_cast<long double>(forward.value()) - plain) <= 1e-15L * plain);
}

RC_GTEST_PROP(ExactSum, IsTheSumOfDigits, ()) {
  const auto values = *rc::gen::container<std::vector<double>>(rc::gen::arbitrary<double>());
  ExactSum whole;
  ExactSum::Digits digits{};
  for (double value : values) {
    value = std::isfinite(value) ? std::abs(value) : std::numeric_limits<double>::max();
    ExactSum one;
    one.add(value);
    whole.add(value);
    const ExactSum::Digits of_one = one.digits();
    for (std::size_t i = 0; i < digits.size(); ++i) digits[i] += of_one[i];
  }
  ExactSum merged;
  merged.merge(digits);
  RC_ASSERT(merged.digits() == whole.digits());
}

TEST(ExactSum, HoldsWhatDoublesLose) {
  ExactSum sum;
  sum.add(1e300);
  for (int i = 0; i < 1000; ++i) sum.add(0x1p-1074);
  sum.add(1.0);
  EXPECT_EQ(sum.value(), 1e300);
  ExactSum ones;
  ones.add(0x1p53);
  ones.add(1.0);
  ones.add(1.0);
  EXPECT_EQ(ones.value(), 0x1p53 + 2.0);
}

TEST(TraceStatistics, TellsDeadTraces) {
  EXPECT_TRUE(statistics_of({0.0F, -0.0F, 0.0F}).all_zero());
  EXPECT_FALSE(statistics_of({0.0F, 0.0F, 1e-30F}).all_zero());
  EXPECT_FALSE(statistics_of({0.0F, 0.0F, not_a_number}).all_zero());
  EXPECT_FALSE(statistics_of(std::vector<float>{}).all_zero());
  EXPECT_TRUE(statistics_of(std::vector<float>(3000, 2.5F)).constant());
  EXPECT_FALSE(statistics_of({2.5F}).constant());
  EXPECT_FALSE(statistics_of({0.0F, 0.0F}).constant());
  EXPECT_FALSE(statistics_of({2.5F, 2.5F, not_a_number}).constant());
  EXPECT_FALSE(std::signbit(statistics_of({-0.0F, -0.0F}).smallest));
}

TEST(TraceStatistics, TellsClippedTraces) {
  // Runs of one value at the top: 2 + 3 samples make 1 + 2 that follow another one.
  EXPECT_FALSE(statistics_of({1, 9, 9, 2, 9, 9, 9, 1}).clipped(false));
  EXPECT_TRUE(statistics_of({1, 9, 9, 9, 2, 9, 9, 9, 1}).clipped(false));
  EXPECT_TRUE(statistics_of({1, -9, -9, -9, -9, -9, 1, 5}).clipped(false));
  EXPECT_FALSE(statistics_of({1, 9, 2, 9, 3, 9, 4, 9, 1, 9}).clipped(false)) << "peaks of one height are no flat tops";
  EXPECT_FALSE(statistics_of({0, 0, 0, 0, 0, 0, 0, 5, 3}).clipped(false)) << "zeros before the first arrival";
  EXPECT_FALSE(statistics_of(std::vector<float>(20, 7.0F)).clipped(false)) << "constant";
  EXPECT_FALSE(statistics_of({1, 9, 9, 9, 9, 9, 9, 1}).clipped(true)) << "small whole numbers repeat";
  EXPECT_TRUE(statistics_of({1, 127, 127, 127, 127, 127, 1}).clipped(true));
}

TEST(TraceStatistics, FollowsARunOverTheEndOfABlock) {
  std::vector<float> values(2 * statistics_block_samples, 1.0F);
  for (std::size_t i = statistics_block_samples - 2; i < statistics_block_samples + 3; ++i) values[i] = 5.0F;
  const TraceStatistics got = statistics_of(values);
  EXPECT_EQ(got.at_largest, 5);
  EXPECT_EQ(got.flat_at_largest, 4);
}

TEST(SampleStatistics, SquaresBeyondDoublesAreInfinite) {
  SampleStatistics statistics(SampleFormat::ieee_double, ByteOrder::little);
  std::vector<std::byte> bytes(16);
  store(bytes.data(), 1e200, ByteOrder::little);
  store(bytes.data() + 8, -3.0, ByteOrder::little);
  statistics.begin_trace();
  statistics.add(bytes);
  const TraceStatistics got = statistics.end_trace();
  EXPECT_TRUE(std::isinf(got.square_sum));
  EXPECT_EQ(got.largest, 1e200);
  EXPECT_EQ(got.smallest, -3.0);
  EXPECT_EQ(got.finite(), 2);
}

RC_GTEST_PROP(TraceHash, TellsEveryByteAndLength, ()) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(any_number(1, 200)));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(any_number(0, 255));
  const auto hash = [](std::span<const std::byte> block) {
    TraceHash of;
    of.add(block);
    return of.value();
  };
  std::vector<std::byte> other = bytes;
  RC_ASSERT(hash(other) == hash(bytes));
  const auto at = static_cast<std::size_t>(any_number(0, std::ssize(bytes) - 1));
  other[at] ^= static_cast<std::byte>(1 << any_number(0, 7));
  RC_ASSERT(hash(other)[0] != hash(bytes)[0]);
  RC_ASSERT(hash(other)[1] != hash(bytes)[1]);
  other = bytes;
  other.push_back(std::byte{0});
  RC_ASSERT(hash(other) != hash(bytes));
}

}  // namespace
}  // namespace sill::segy
