// Recursive filters: the loops for each kind of processor compute the same bits, of a trace alone and among others.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "sill/flow/operations/bandpass/trace_filter.hpp"

namespace sill::flow {
namespace {

constexpr double interval_s = 0.002;

// One after the other as the definition of `Section` says.
std::vector<double> reference(const Cascade& cascade, std::vector<double> x) {
  const double first = x.front();
  for (double& value : x) value *= cascade.gain;
  for (const Section& section : cascade.sections) {
    double z0 = section.z0 * first;
    double z1 = section.z1 * first;
    for (double& value : x) {
      const double y = value + z0;
      z0 = section.b1 * value - section.a1 * y + z1;
      z1 = section.b2 * value - section.a2 * y;
      value = y;
    }
  }
  return x;
}

ButterworthDesign design_of(Band band, int order) {
  return {.band = band, .order = order, .w1 = warped(8.0, interval_s), .w2 = warped(60.0, interval_s)};
}

// Rows of noise; one whose end is zero, so that what is left of it becomes very small; one with a NaN.
std::vector<std::vector<float>> traces_of(std::size_t samples) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> noise(-1.0F, 1.0F);
  std::vector<std::vector<float>> traces(static_cast<std::size_t>(lane_count), std::vector<float>(samples));
  for (auto& trace : traces)
    for (float& x : trace) x = noise(random);
  std::fill(traces[2].begin() + static_cast<std::ptrdiff_t>(samples / 4), traces[2].end(), 0.0F);
  traces[3][samples / 2] = -std::numeric_limits<float>::quiet_NaN();
  traces[4][samples / 3] = std::numeric_limits<float>::infinity();
  return traces;
}

struct Lanes {
  alignas(lane_alignment) std::array<double, static_cast<std::size_t>(lane_count) * 3001> values;
};

std::vector<std::vector<float>> filtered(const LaneKernels& kernels, const Cascade& cascade, bool backwards,
                                         std::vector<std::vector<float>> traces) {
  static Lanes lanes;
  std::array<const float*, static_cast<std::size_t>(lane_count)> in{};
  std::array<float*, static_cast<std::size_t>(lane_count)> out{};
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = out[k] = traces[k].data();
  const auto samples = std::ssize(traces.front());
  kernels.interleave(in.data(), samples, lanes.values.data());
  kernels.filter(cascade.sections, cascade.gain, backwards, lanes.values.data(), samples);
  kernels.separate(lanes.values.data(), samples, out.data());
  return traces;
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return std::ranges::equal(
      a, b, {}, [](float x) { return std::bit_cast<std::uint32_t>(x); },
      [](float x) { return std::bit_cast<std::uint32_t>(x); });
}

TEST(TraceFilter, EveryKernelComputesTheSameBits) {
  for (const Band band : {Band::low, Band::high, Band::pass, Band::stop})
    for (const int order : {1, 2, 3, 4, 5, 9})
      for (const std::size_t samples : {1U, 2U, 7U, 64U, 65U, 3001U})
        for (const bool backwards : {false, true}) {
          const Cascade cascade = butterworth(design_of(band, order));
          const auto traces = traces_of(samples);
          const auto portable = filtered(*runnable_lane_kernels().front(), cascade, backwards, traces);
          for (const LaneKernels* const kernels : runnable_lane_kernels()) {
            const auto found = filtered(*kernels, cascade, backwards, traces);
            for (std::size_t k = 0; k < found.size(); ++k)
              ASSERT_TRUE(same_bits(found[k], portable[k]))
                  << kernels->name << ", order " << order << ", " << samples << " samples, trace " << k;
          }
          for (const std::size_t k : {0U, 1U, 2U, 7U}) {
            std::vector<double> series(traces[k].begin(), traces[k].end());
            if (backwards) std::ranges::reverse(series);
            series = reference(cascade, std::move(series));
            if (backwards) std::ranges::reverse(series);
            for (std::size_t i = 0; i < samples; ++i) ASSERT_NEAR(portable[k][i], series[i], 1e-6) << i;
          }
        }
}

TEST(TraceFilter, TracesDoNotDependOnThoseBesideThem) {
  for (const Padding padding : {Padding::odd, Padding::zero, Padding::edge, Padding::reflect, Padding::symmetric})
    for (const std::int64_t samples : {1, 2, 500}) {
      const TraceFilter filter(butterworth(design_of(Band::pass, 4)), true, padding);
      const auto traces = traces_of(static_cast<std::size_t>(samples));
      std::vector<double> memory;
      auto together = traces;
      std::array<float*, static_cast<std::size_t>(lane_count)> all{};
      for (std::size_t k = 0; k < all.size(); ++k) all[k] = together[k].data();
      filter.filter(all, samples, memory);
      for (std::size_t k = 0; k < all.size(); ++k) {
        auto alone = traces[k];
        const std::array<float*, 1> one{alone.data()};
        filter.filter(one, samples, memory);
        EXPECT_TRUE(same_bits(alone, together[k])) << k;
      }
      EXPECT_GE(filter.memory_bytes(samples), static_cast<std::int64_t>(memory.size() * sizeof(double)));
    }
}

// The states of sections that forget slowly would otherwise end as numbers that processors handle slowly.
TEST(TraceFilter, WhatIsLeftBecomesZero) {
  const Cascade cascade = butterworth({.band = Band::low, .order = 2, .w1 = warped(150.0, interval_s), .w2 = 0.0});
  std::vector<std::vector<float>> traces(static_cast<std::size_t>(lane_count), std::vector<float>(3001));
  for (auto& trace : traces) trace[0] = 1e30F;
  for (auto& trace : filtered(*runnable_lane_kernels().back(), cascade, false, traces)) {
    EXPECT_NE(trace[10], 0.0F);
    EXPECT_EQ(std::fpclassify(trace.back()), FP_ZERO);
  }
}

}  // namespace
}  // namespace sill::flow
