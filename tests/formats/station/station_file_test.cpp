// Bytes of station files against printf.
#include "sill/formats/station/station_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/formats/station/channel_encoders.hpp"
#include "sill/formats/station/sac_file.hpp"

namespace sill::station {
namespace {

const Station nice{.number = 12, .position_m = {51200.0, 33000.25, -1.0 / 3}};

std::string printed(const Station& station, std::int64_t steps, int width, double interval_s) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%d %f %f %f\n%*d %f\n", station.number, station.position_m[0],
                station.position_m[1], station.position_m[2], width, static_cast<int>(steps), interval_s);
  return text.data();
}

TEST(StationFile, HasTheHeaderOfOndes3d) {
  const StationFile grows(nice, 0.008, 9, 1000, StepCount::grows);
  const StationFile reserved(nice, 0.008, 9, 1000, StepCount::reserved);
  for (const int steps : {0, 1, 9, 10, 99, 100, 1000}) {
    EXPECT_EQ(grows.header(steps), printed(nice, steps, 0, 0.008));
    EXPECT_EQ(reserved.header(steps), printed(nice, steps, 4, 0.008));
  }
  const Station far{.number = -3, .position_m = {1e300, -1e22, 0.0000005}};
  EXPECT_EQ(StationFile(far, 1e-7, 1, 5, StepCount::grows).header(5), printed(far, 5, 0, 1e-7));
}

TEST(StationFile, RecordsFollowTheHeaderOfTheFirstPhase) {
  const StationFile grows(nice, 0.008, 9, 1000, StepCount::grows);
  const auto first_byte = [&](std::int64_t steps) { return grows.records(steps).first_byte; };
  EXPECT_EQ(first_byte(9), static_cast<std::int64_t>(printed(nice, 9, 0, 0.008).size()));
  EXPECT_EQ(first_byte(10), first_byte(9) + 1);
  const StationFile reserved(nice, 0.008, 9, 1000, StepCount::reserved);
  EXPECT_EQ(reserved.records(1).first_byte, reserved.records(1000).first_byte);
  EXPECT_EQ(reserved.records(1).first_byte, first_byte(1000));
  EXPECT_EQ(reserved.record_bytes(), 144);
  EXPECT_EQ(reserved.records(10).bytes_of({3, 2}).offset, reserved.records(1).first_byte + 3 * 144);
  EXPECT_EQ(file_name(17), "obs17.dat");
}

TEST(StationFile, AnyPartOfTheTextIsThatOfPrintf) {
  // Steps of five values, of which three are of this rank; the last of a record or not.
  std::vector<double> memory;
  for (int i = 0; i < 5 * 4; ++i) memory.push_back(std::pow(-7.7, i - 9));
  memory[7] = std::numeric_limits<double>::quiet_NaN();
  memory[8] = -1.25e-300;
  for (const bool end : {false, true}) {
    std::string expected;
    for (int step = 0; step < 4; ++step) {
      for (int component = 0; component < 3; ++component) {
        std::array<char, 32> text{};
        const double value = memory[static_cast<std::size_t>(5 * step + component + 1)];
        std::snprintf(text.data(), text.size(), "%15e%c", value, end && component == 2 ? '\n' : ' ');
        expected += text.data();
      }
    }
    const StationFile file(nice, 0.1, 5, 4, StepCount::reserved);
    const Values values{.first = &memory[1], .step_stride = 5, .components = 3, .end_record = end};
    const auto size = static_cast<std::int64_t>(expected.size());
    ASSERT_EQ(size, 4 * 3 * value_bytes);
    for (std::int64_t begin = 0; begin < size; ++begin) {
      for (const std::int64_t length :
           {std::int64_t{1}, std::int64_t{15}, std::int64_t{16}, std::int64_t{49}, size - begin}) {
        if (begin + length > size) continue;
        std::string text(static_cast<std::size_t>(length), '#');
        file.write(values, {begin, length}, std::as_writable_bytes(std::span(text)));
        ASSERT_EQ(text, expected.substr(static_cast<std::size_t>(begin), text.size())) << begin;
      }
    }
  }
}

TEST(SacFile, AnyPartIsThatOfTheWhole) {
  const std::vector<float> memory{1.5F, -2.0F, 3e38F, std::numeric_limits<float>::infinity(), -0.0F, 1e-40F};
  const Values values{.floats = memory.data(), .step_stride = 2, .components = 1};
  const SacFile file({.number = 12, .position_m = {1, 2, 3}}, "vx", 0.25, 3);
  std::array<std::byte, 12> whole{};
  file.write(values, {0, 12}, whole);
  for (std::size_t step = 0; step < 3; ++step)
    EXPECT_EQ(load<float>(whole.data() + 4 * step, ByteOrder::little), memory[2 * step]);
  for (std::int64_t begin = 0; begin < 12; ++begin)
    for (std::int64_t length = 1; begin + length <= 12; ++length) {
      std::vector<std::byte> part(static_cast<std::size_t>(length));
      file.write(values, {begin, length}, part);
      EXPECT_TRUE(std::ranges::equal(part, std::span(whole).subspan(static_cast<std::size_t>(begin), part.size())));
    }
  EXPECT_EQ(file.header(0).size(), 632U);
}

TEST(ChannelFile, AnyPartOfSamplesAndHeadersIsThatOfTheWhole) {
  const std::vector<float> memory{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};  // four channels, three steps
  const ChannelSamples samples(memory.data() + 1, 4, 3, ByteOrder::big);   // the last three
  const MiniSeedFile file(
      {.list = {{{.number = 1}, 0, "x"}, {{.number = 2}, 0, "y"}}, .interval_s = 0.5, .final_steps = 3});
  const ChannelHeaders headers(file, 0, 0, 3);
  const auto parts_are_those_of = [](const Encoder& encoder, std::int64_t bytes) {
    std::vector<std::byte> whole(static_cast<std::size_t>(bytes));
    encoder.fill({0, bytes}, whole);
    for (std::int64_t begin = 0; begin < bytes; ++begin) {
      for (std::int64_t length = 1; begin + length <= bytes; ++length) {
        std::vector<std::byte> part(static_cast<std::size_t>(length));
        encoder.fill({begin, length}, part);
        if (!std::ranges::equal(part, std::span(whole).subspan(static_cast<std::size_t>(begin), part.size())))
          return std::vector<std::byte>();
      }
    }
    return whole;
  };
  const std::vector<std::byte> of_samples = parts_are_those_of(samples, 36);
  ASSERT_EQ(of_samples.size(), 36U);
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_EQ(load<float>(of_samples.data() + 4 * i, ByteOrder::big), static_cast<float>(2 + i / 3 + i % 3 * 4));
  const std::vector<std::byte> of_headers = parts_are_those_of(headers, 256);
  ASSERT_EQ(of_headers.size(), 256U);
  EXPECT_EQ(of_headers[8], std::byte{'1'});
  EXPECT_EQ(of_headers[128 + 8], std::byte{'2'});
}

TEST(StationFile, RefusesWhatCannotBeWritten) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto make = [](const Station& station, double interval_s, int components, std::int64_t steps) {
    return StationFile(station, interval_s, components, steps, StepCount::reserved);
  };
  EXPECT_NO_THROW(make(nice, 0.1, 1, 1));
  EXPECT_THROW(make(nice, nan, 9, 10), Error);
  EXPECT_THROW(make(nice, 0.1, 0, 10), Error);
  EXPECT_THROW(make(nice, 0.1, 9, 0), Error);
  EXPECT_THROW(make({.number = 1, .position_m = {0, nan, 0}}, 0.1, 9, 10), Error);
  EXPECT_THROW(make(nice, 0.1, 9, std::numeric_limits<std::int64_t>::max() / 100), Error);
}

}  // namespace
}  // namespace sill::station
