// The synthetic survey: its facts read back by the probe, its geometry against itself, its bytes against themselves.
#include "sill/formats/segy/synthetic/synthetic_survey.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/segy/detect/probe.hpp"
#include "sill/formats/segy/samples/sample_codec.hpp"
#include "sill/formats/segy/text/text_header.hpp"

namespace sill::segy {
namespace {

using Bytes = std::vector<std::byte>;

Bytes trace_of(const SyntheticSurvey& survey, std::int64_t index) {
  // Not zero to begin with: every byte must be written.
  Bytes bytes(static_cast<std::size_t>(survey.trace_bytes()), std::byte{0xAA});
  survey.trace(index, bytes);
  return bytes;
}

Bytes header_of(const SyntheticSurvey& survey) {
  Bytes bytes(static_cast<std::size_t>(survey.header_bytes()), std::byte{0xAA});
  survey.file_header(bytes);
  return bytes;
}

Bytes file_of(const SyntheticSurvey& survey, std::int64_t traces) {
  Bytes file = header_of(survey);
  for (std::int64_t i = 0; i < traces; ++i) {
    const Bytes trace = trace_of(survey, i);
    file.insert(file.end(), trace.begin(), trace.end());
  }
  return file;
}

std::int64_t i4(const Bytes& header, int byte) { return load<std::int32_t>(header.data() + byte - 1, ByteOrder::big); }
std::int64_t i2(const Bytes& header, int byte) { return load<std::int16_t>(header.data() + byte - 1, ByteOrder::big); }

/// A coordinate with its scalar applied.
double metres(const Bytes& header, int byte) {
  const auto scalar = static_cast<double>(i2(header, 71));
  return static_cast<double>(i4(header, byte)) / -scalar;
}

std::vector<double> samples_of(const Bytes& trace, SampleFormat format, ByteOrder order) {
  std::vector<double> values((trace.size() - 240) / static_cast<std::size_t>(bytes_of(format)));
  decode(std::span(trace).subspan(240), format, order, values);
  return values;
}

TEST(SyntheticSurvey, TheProbeReadsTheFactsBack) {
  for (const std::string& word : sample_format_names(2))
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise})
      for (const Revision revision : {Revision::rev0, Revision::rev1, Revision::rev2_0, Revision::rev2_1}) {
        const SampleFormat format = sample_format_from_name(word).value();
        if (first_revision_of(format) > major_of(revision)) continue;
        const SyntheticSurvey survey({.traces = 50,
                                      .samples = 33,
                                      .sample_format = format,
                                      .byte_order = order,
                                      .revision = revision,
                                      .interval_us = 4000});
        const Bytes file = file_of(survey, 50);
        ASSERT_EQ(static_cast<std::int64_t>(file.size()), survey.file_bytes());
        Probe probe("made.sgy", survey.file_bytes());
        while (const auto range = probe.next())
          probe.feed(std::span(file).subspan(static_cast<std::size_t>(range->offset),
                                             static_cast<std::size_t>(range->length)));
        const FileDescription d = probe.result();
        EXPECT_EQ(d.byte_order, order);
        EXPECT_EQ(revision_of(d), revision);
        EXPECT_EQ(d.revision_minor, minor_of(revision));
        EXPECT_EQ(d.text_encoding, TextEncoding::ebcdic);
        EXPECT_EQ(d.sample_format, format);
        EXPECT_EQ(d.samples, 33);
        EXPECT_EQ(d.interval_us, 4000.0);
        EXPECT_EQ(d.traces, 50);
        EXPECT_EQ(d.trace_bytes, survey.trace_bytes());
        EXPECT_EQ(d.sorting_code, revision >= Revision::rev1 ? 5 : 1);
        EXPECT_EQ(d.measurement_system, 1);
        EXPECT_TRUE(d.diagnostics.empty()) << d.diagnostics.front().problem;
      }
}

TEST(SyntheticSurvey, GeometryAgreesWithItself) {
  const SyntheticSurvey survey({.traces = 3000, .samples = 4, .channels = 240});
  const Bytes first = trace_of(survey, 0);
  const double azimuth = 52.0 * std::numbers::pi / 180.0;
  std::map<std::int64_t, std::int64_t> fold;
  for (std::int64_t i = 0; i < 3000; ++i) {
    const Bytes header = trace_of(survey, i);
    ASSERT_EQ(i4(header, 1), i + 1);
    ASSERT_EQ(i4(header, 5), i + 1);
    ASSERT_EQ(i4(header, 9), i / 240 + 1);
    ASSERT_EQ(i4(header, 13), i % 240 + 1);
    ASSERT_EQ(i4(header, 17), 1001 + i / 240);
    ASSERT_EQ(i2(header, 71), -100);
    ASSERT_EQ(i2(header, 69), -100);
    ASSERT_EQ(i2(header, 89), 1);
    ASSERT_EQ(i2(header, 115), 4);
    ASSERT_EQ(i2(header, 117), 2000);

    // The offset is the distance of source and group.
    const double dx = metres(header, 81) - metres(header, 73);
    const double dy = metres(header, 85) - metres(header, 77);
    ASSERT_NEAR(static_cast<double>(i4(header, 37)), std::hypot(dx, dy), 0.52);
    // The midpoint lies in its bin: along the line within half a bin of the centre that the header gives.
    const double mx = (metres(header, 81) + metres(header, 73)) / 2 - metres(header, 181);
    const double my = (metres(header, 85) + metres(header, 77)) / 2 - metres(header, 185);
    ASSERT_LE(std::abs(mx * std::sin(azimuth) + my * std::cos(azimuth)), 6.25 / 2) << i;
    // Bins are numbered along the line, a bin a 6.25 m.
    const double along = (metres(header, 181) - metres(first, 181)) * std::sin(azimuth) +
                         (metres(header, 185) - metres(first, 185)) * std::cos(azimuth);
    ASSERT_NEAR(along / 6.25, static_cast<double>(i4(header, 21) - i4(first, 21)), 0.01);
    ASSERT_EQ(i4(header, 193), i4(header, 21));
    ASSERT_EQ(i4(header, 189), 1001);
    ASSERT_GE(i4(header, 21), 1);
    // Traces of a bin are counted in the order of the file.
    ASSERT_EQ(i4(header, 25), ++fold[i4(header, 21)]) << i;
  }
  EXPECT_EQ(trace_of(survey, 239).size(), 256U);
  EXPECT_EQ(i4(trace_of(survey, 239), 21), 1);  // the farthest channel of the first shot
  EXPECT_EQ(i4(first, 77) / 1'000'000'00, 6);   // seven digits of metres
  EXPECT_EQ(std::max_element(fold.begin(), fold.end(), [](auto a, auto b) { return a.second < b.second; })->second, 13);
}

TEST(SyntheticSurvey, ManyShotsTakeSeveralLines) {
  const SyntheticSurvey survey({.traces = 20000, .samples = 1, .channels = 2});
  const Bytes last_of_line = trace_of(survey, 7999);
  const Bytes next_line = trace_of(survey, 8000);
  EXPECT_EQ(i4(last_of_line, 189), 1001);
  EXPECT_EQ(i4(next_line, 189), 1002);
  EXPECT_EQ(i4(next_line, 1), 1);
  EXPECT_EQ(i4(next_line, 5), 8001);
  EXPECT_EQ(i4(next_line, 17), 1001);
  EXPECT_EQ(i4(next_line, 9), 4001);
  const Bytes first = trace_of(survey, 0);
  EXPECT_NEAR(std::hypot(metres(next_line, 73) - metres(first, 73), metres(next_line, 77) - metres(first, 77)), 50.0,
              0.02);
  std::set<std::int64_t> line_1;
  std::set<std::int64_t> line_2;
  for (std::int64_t i = 0; i < 16000; ++i) (i < 8000 ? line_1 : line_2).insert(i4(trace_of(survey, i), 21));
  EXPECT_LT(*line_1.rbegin(), *line_2.begin());  // no gather of two lines
}

TEST(SyntheticSurvey, ThingsOfTheShotAreTheSameForItsTracesAndTimeGoesOn) {
  const SyntheticSurvey survey({.traces = 240 * 20, .samples = 1, .channels = 240});
  std::int64_t before_s = -1;
  for (std::int64_t shot = 0; shot < 20; ++shot) {
    const Bytes near = trace_of(survey, 240 * shot);
    const Bytes far = trace_of(survey, 240 * shot + 239);
    for (const int byte : {9, 17, 45, 49, 61, 73, 77}) EXPECT_EQ(i4(near, byte), i4(far, byte)) << byte;
    for (const int byte : {157, 159, 161, 163, 165}) EXPECT_EQ(i2(near, byte), i2(far, byte)) << byte;
    EXPECT_EQ(i4(near, 37), 150);
    EXPECT_EQ(i4(far, 37), 3138);  // 150 + 239 * 12.5 = 3137.5
    EXPECT_EQ(i2(near, 157), 2024);
    EXPECT_EQ(i2(near, 159), 100);
    const std::int64_t now_s = (i2(near, 161) * 60 + i2(near, 163)) * 60 + i2(near, 165);
    if (shot > 0) {
      EXPECT_EQ(now_s - before_s, 10);
    }
    before_s = now_s;
  }
  // A day on.
  EXPECT_EQ(i2(trace_of(SyntheticSurvey({.traces = 8641, .samples = 1, .channels = 1}), 8640), 159), 101);
}

TEST(SyntheticSurvey, RevisionZeroLeavesItsUnassignedBytesAlone) {
  const SyntheticSurvey survey({.traces = 10, .samples = 4, .revision = Revision::rev0});
  const Bytes trace = trace_of(survey, 3);
  EXPECT_TRUE(std::all_of(trace.begin() + 180, trace.begin() + 240, [](std::byte b) { return b == std::byte{0}; }));
  const Bytes header = header_of(survey);
  EXPECT_TRUE(std::all_of(header.begin() + 3260, header.end(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST(SyntheticSurvey, TheTextHeaderDescribesIt) {
  for (const Revision revision : {Revision::rev0, Revision::rev1}) {
    const SyntheticSurvey survey({.traces = 960, .samples = 77, .revision = revision, .channels = 48});
    const Bytes header = header_of(survey);
    const auto lines = decode_text_header(std::span<const std::byte, 3200>(header.data(), 3200), TextEncoding::ebcdic);
    for (std::size_t i = 0; i < 40; ++i) {
      const std::string start = fmt::format("C{:2} ", i + 1);
      EXPECT_EQ(lines[i].substr(0, 4), start);
    }
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    EXPECT_NE(all.find("TRACES 960  SHOTS 20  CHANNELS 48"), std::string::npos) << all;
    EXPECT_NE(all.find("SAMPLES A TRACE 77  INTERVAL 2000 US"), std::string::npos) << all;
    EXPECT_EQ(all.find("C39 SEG Y REV1 ") != std::string::npos, revision == Revision::rev1) << all;
    EXPECT_EQ(all.find("C40 END TEXTUAL HEADER") != std::string::npos, revision == Revision::rev1);
    EXPECT_EQ(all.find("C40 END EBCDIC") != std::string::npos, revision == Revision::rev0);
  }
}

TEST(SyntheticSurvey, AllFormatsAndOrdersHoldTheSameSignal) {
  const auto with = [](SampleFormat format, ByteOrder order) {
    const SyntheticSurvey survey(
        {.traces = 500, .samples = 1600, .sample_format = format, .byte_order = order, .revision = Revision::rev2_1});
    return samples_of(trace_of(survey, 123), format, order);
  };
  const std::vector<double> reference = with(SampleFormat::ieee_float, ByteOrder::big);
  EXPECT_EQ(with(SampleFormat::ieee_float, ByteOrder::pairwise), reference);
  const double reference_peak = *std::max_element(reference.begin(), reference.end());
  EXPECT_GT(reference_peak, 10.0);
  for (const std::string& word : sample_format_names(2)) {
    const SampleFormat format = sample_format_from_name(word).value();
    std::vector<double> values = with(format, ByteOrder::little);
    // Unsigned samples swing about the middle of their range.
    const double middle = word.starts_with("u") ? std::ldexp(1.0, 8 * bytes_of(format) - 1) : 0.0;
    for (double& value : values) value -= middle;
    const double gain = *std::max_element(values.begin(), values.end()) / reference_peak;
    // Both the sample and the peak that the gain is taken from are rounded by half a unit at most.
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_NEAR(values[i] / gain, reference[i], 0.001 * reference_peak + 1.0 / gain) << word << i;
  }
  EXPECT_THROW(with(SampleFormat::fixed_point_gain, ByteOrder::big), Error);
}

TEST(SyntheticSurvey, ArrivalsAreWhereTheyShouldBe) {
  // The direct wave at the near offset: 150 m at 1500 m/s is 100 ms, sample 50, the largest of the trace.
  const SyntheticSurvey survey(
      {.traces = 100, .samples = 1500, .sample_format = SampleFormat::ieee_float, .channels = 10});
  const std::vector<double> near = samples_of(trace_of(survey, 0), SampleFormat::ieee_float, ByteOrder::big);
  EXPECT_EQ(std::max_element(near.begin(), near.end()) - near.begin(), 50);
  // The sea floor, two-way through the depth that the header gives below the midpoint, give or take its undulation.
  const double depth_m = static_cast<double>(i4(trace_of(survey, 0), 61)) / 100;
  const auto start = near.begin() + 200;
  const auto expected = static_cast<double>(std::hypot(2 * depth_m, 150.0) / 1500.0 / 0.002);
  EXPECT_NEAR(static_cast<double>(std::max_element(start, near.end()) - near.begin()), expected, 8.0);
}

TEST(SyntheticSurvey, TracesDependOnTheirNumberAndTheSeedOnly) {
  const SyntheticSurvey a({.traces = 300, .samples = 2500, .channels = 20});
  const SyntheticSurvey b({.traces = 300, .samples = 2500, .channels = 20});
  const SyntheticSurvey longer({.traces = 900, .samples = 2500, .channels = 20});
  const SyntheticSurvey other({.traces = 300, .samples = 2500, .channels = 20, .seed = 2});
  const Bytes forwards = trace_of(a, 17);
  trace_of(b, 250);
  EXPECT_EQ(trace_of(b, 17), forwards);
  EXPECT_EQ(trace_of(longer, 17), forwards);
  EXPECT_NE(trace_of(other, 17), forwards);
  std::set<std::vector<double>> samples;
  for (std::int64_t i = 0; i < 300; ++i) {
    samples.insert(samples_of(trace_of(a, i), SampleFormat::ibm_float, ByteOrder::big));
  }
  EXPECT_EQ(samples.size(), 300U);
}

TEST(SyntheticSurvey, Extremes) {
  for (const double interval_us : {1.0, 62.0, 65535.0})
    for (const std::int64_t samples : {1, 5, 65535})
      for (const SampleFormat format : {SampleFormat::int8, SampleFormat::ibm_float}) {
        const SyntheticSurvey survey(
            {.traces = 9, .samples = samples, .sample_format = format, .interval_us = interval_us});
        for (const std::int64_t i : {0, 8})
          EXPECT_EQ(trace_of(survey, i).size(), 240U + static_cast<std::size_t>(samples * bytes_of(format)));
      }
  const SyntheticSurvey largest({.traces = 2147483647, .samples = 1});
  EXPECT_EQ(largest.channels(), 240);
  const Bytes last = trace_of(largest, 2147483646);
  EXPECT_EQ(i4(last, 5), 2147483647);
  EXPECT_GT(i4(last, 21), 0);
  EXPECT_NEAR(std::hypot(metres(last, 81) - metres(last, 73), metres(last, 85) - metres(last, 77)),
              static_cast<double>(i4(last, 37)), 0.52);
}

TEST(SyntheticSurvey, OptionsOutOfRangeAreUsageErrors) {
  const std::vector<SurveyOptions> wrong = {
      {.traces = 0, .samples = 1},
      {.traces = 2147483648, .samples = 1},
      {.traces = 1, .samples = 0},
      {.traces = 1, .samples = 65536},
      {.traces = 1, .samples = 1, .sample_format = SampleFormat::int24},
      {.traces = 1, .samples = 2147483648, .revision = Revision::rev2_1},
      {.traces = 1, .samples = 1, .interval_us = 0},
      {.traces = 1, .samples = 1, .interval_us = 0.5},
      {.traces = 1, .samples = 1, .interval_us = 65536},
      {.traces = 1, .samples = 1, .interval_us = std::nan("")},
      {.traces = 1, .samples = 1, .channels = -1},
      {.traces = 1, .samples = 1, .channels = 32768},
      {.traces = 2147483647, .samples = 1, .channels = 1},
  };
  for (const SurveyOptions& options : wrong) {
    try {
      const SyntheticSurvey survey(options);
      ADD_FAILURE() << options.traces << ' ' << options.samples << ' ' << options.interval_us;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_FALSE(error.parts().action.empty());
    }
  }
}

}  // namespace
}  // namespace sill::segy
