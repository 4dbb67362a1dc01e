// Geometry, headers and samples of the synthetic survey.
#include "sill/formats/segy/convert/synthetic_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

#include "sill/base/error.hpp"
#include "sill/formats/segy/samples/sample_codec.hpp"
#include "sill/formats/segy/text/text_header.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::segy {
namespace {

constexpr double shot_interval_m = 25.0;
constexpr double group_interval_m = 12.5;
constexpr double near_offset_m = 150.0;
constexpr double bin_m = group_interval_m / 2;
constexpr std::int64_t bins_per_shot = 4;  // shot interval over bin
constexpr double first_easting_m = 431'250.0;
constexpr double first_northing_m = 6'512'400.0;
constexpr double azimuth_rad = 52.0 * std::numbers::pi / 180.0;  // of the sail lines, clockwise from north
constexpr std::int64_t shots_per_line = 4000;
constexpr double line_spacing_m = 50.0;
constexpr std::int64_t max_lines = 40'000;  // 2,000 km: coordinates in centimetres still fit 32 bits
constexpr int first_line = 1001;
constexpr int first_shot_point = 1001;
constexpr double source_depth_m = 6.0;
constexpr double streamer_depth_m = 8.0;
constexpr int scale = 100;  // of coordinates, elevations and depths: centimetres
constexpr std::int64_t seconds_per_shot = 10;
constexpr std::int64_t seconds_per_turn = 3 * 3600;

constexpr double water_velocity_m_s = 1500.0;
struct Reflector {
  double zero_offset_s;
  double velocity_m_s;
  double amplitude;
};
constexpr std::array reflectors = {Reflector{0.80, 1500.0, 0.22}, Reflector{1.15, 1680.0, 0.14},
                                   Reflector{1.60, 1920.0, 0.11}, Reflector{2.15, 2230.0, 0.08},
                                   Reflector{2.90, 2650.0, 0.05}};
constexpr double direct_amplitude = 0.3;
constexpr double noise_amplitude = 0.02;  // with all arrivals on top of each other the sum stays below 1

constexpr std::int64_t shifts = 16;  // of the tabulated wavelet, a sample apart in all
constexpr std::int64_t longest_half_wavelet = 4096;
constexpr std::size_t block_samples = 1024;

[[noreturn]] void refuse(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

void require(bool holds, const char* name, auto value, const char* range) {
  if (!holds) refuse(fmt::format("{} of a survey cannot be {}", name, value), fmt::format("give {}", range));
}

std::int32_t scaled(double value_m) { return static_cast<std::int32_t>(std::llround(value_m * scale)); }

/// The values that samples of a format are given: `middle` plus or minus less than `peak`.
struct Scale {
  float peak = 1000.0F;
  float middle = 0.0F;
};

Scale scale_of(SampleFormat format) {
  switch (format) {
    case SampleFormat::int64: return {1.0e17F};
    case SampleFormat::int32: return {1.0e8F};
    case SampleFormat::int24: return {6.0e6F};
    case SampleFormat::int16: return {25000.0F};
    case SampleFormat::int8: return {120.0F};
    case SampleFormat::uint64: return {1.0e18F, 9223372036854775808.0F};
    case SampleFormat::uint32: return {1.0e9F, 2147483648.0F};
    case SampleFormat::uint24: return {6.0e6F, 8388608.0F};
    case SampleFormat::uint16: return {25000.0F, 32768.0F};
    case SampleFormat::uint8: return {120.0F, 128.0F};
    case SampleFormat::ibm_float:
    case SampleFormat::ieee_float:
    case SampleFormat::ieee_double:
    case SampleFormat::fixed_point_gain:
    case SampleFormat::fixed_point_gain_rev2: break;
  }
  return {};
}

/// Two-way time at zero offset of a reflector that undulates gently along the line.
double undulating_s(const Reflector& reflector, double along_m) {
  const double phase = 2.0 * std::numbers::pi * along_m / 4000.0 + 3.0 * reflector.zero_offset_s;
  return reflector.zero_offset_s * (1.0 + 0.03 * std::sin(phase));
}

/// A number that looks random and depends on its argument only (the finaliser of SplitMix64).
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;

/// Uniform noise for samples `first` to `first + out.size()`; `first` is a multiple of 4.
void fill_noise(std::uint64_t key, std::size_t first, float amplitude, std::span<float> out) {
  const float unit = amplitude / 32768.0F;
  const auto quarter = [](std::uint64_t bits, unsigned part) {
    return static_cast<float>(static_cast<std::int16_t>(static_cast<std::uint16_t>(bits >> (16U * part))));
  };
  std::size_t i = 0;
  for (; i + 4 <= out.size(); i += 4) {
    const std::uint64_t bits = mixed(key + ((first + i) / 4) * golden);
    for (unsigned part = 0; part < 4; ++part) out[i + part] = unit * quarter(bits, part);
  }
  const std::uint64_t bits = mixed(key + ((first + i) / 4) * golden);
  for (unsigned part = 0; i < out.size(); ++i, ++part) out[i] = unit * quarter(bits, part);
}

}  // namespace

/// Where a trace was shot and recorded.
struct SyntheticSurvey::Geometry {
  std::int64_t shot = 0;          ///< from 0, over all lines
  std::int64_t line = 0;          ///< from 0
  std::int64_t shot_of_line = 0;  ///< from 0
  std::int64_t channel = 0;       ///< from 0, the nearest first
  double offset_m = 0.0;
  double source_along_m = 0.0;  ///< along the sail line from its first shot
  double source_x_m = 0.0;
  double source_y_m = 0.0;
  double group_x_m = 0.0;
  double group_y_m = 0.0;
  std::int64_t bin = 0;    ///< midpoint bin along the line; negative behind the first shot
  double bin_along_m = 0;  ///< its centre, along the line
  double bin_x_m = 0.0;
  double bin_y_m = 0.0;
};

/// A wavelet somewhere in a trace.
struct SyntheticSurvey::Arrival {
  std::int64_t first_sample = 0;  ///< of the wavelet, may be negative
  const float* wavelet = nullptr;
  float amplitude = 0.0F;
};

SyntheticSurvey::SyntheticSurvey(SurveyOptions options) : options_(options) {
  constexpr std::int64_t max_traces = std::numeric_limits<std::int32_t>::max();
  require(options_.traces >= 1 && options_.traces <= max_traces, "the traces", options_.traces, "1 to 2147483647");
  require_writable(options_.sample_format);
  require(options_.samples >= 1 && options_.samples <= max_traces, "the samples a trace", options_.samples,
          "1 to 2147483647");
  require(options_.interval_us > 0.0 && options_.interval_us <= 65535.0, "the sample interval", options_.interval_us,
          "microseconds, above 0, to 65535");
  require_possible(form());
  require(options_.channels >= 0 && options_.channels <= 32767, "the channels a shot", options_.channels,
          "1 to 32767, or 0 to have them chosen");
  if (options_.channels == 0) {
    // As many shots as channels where there are few traces.
    const auto root = static_cast<int>(std::sqrt(static_cast<double>(options_.traces)));
    options_.channels = std::clamp(root, 1, 240);
  }
  shots_ = (options_.traces + options_.channels - 1) / options_.channels;
  if (shots_ > max_lines * shots_per_line)
    refuse(fmt::format("a survey of {} shots is too large for its coordinates", shots_), "give more channels a shot");
  const std::int64_t lines = (shots_ + shots_per_line - 1) / shots_per_line;
  if (lines * (bins_per_shot * shots_per_line + options_.channels) > max_traces)
    refuse("the survey has more midpoint bins than a header word can number", "give fewer traces or channels");

  // A feathered streamer shifts midpoints along the line. Kept within 2.5 m, they stay within their bins of 6.25 m.
  const double far_offset_m = near_offset_m + group_interval_m * (options_.channels - 1);
  feather_rad_ = std::min(3.5 * std::numbers::pi / 180.0, std::acos(1.0 - std::min(1.0, 5.0 / far_offset_m)));
  tabulate_wavelet();
}

void SyntheticSurvey::tabulate_wavelet() {
  const double interval_s = options_.interval_us * 1e-6;
  constexpr double half_periods = 1.1;  // the wavelet is below 10^-4 beyond
  // 25 Hz, unless that is too high for the sampling or too long for the table.
  const double lowest_hz = half_periods / (static_cast<double>(longest_half_wavelet - 1) * interval_s);
  const double frequency_hz = std::max(std::min(25.0, 0.125 / interval_s), lowest_hz);
  half_wavelet_ = static_cast<std::int64_t>(std::ceil(half_periods / (frequency_hz * interval_s)));
  for (std::int64_t shift = 0; shift < shifts; ++shift) {
    for (std::int64_t k = 0; k <= 2 * half_wavelet_; ++k) {
      const double t_s =
          (static_cast<double>(k - half_wavelet_) - static_cast<double>(shift) / static_cast<double>(shifts)) *
          interval_s;
      const double a = std::pow(std::numbers::pi * frequency_hz * t_s, 2);
      wavelet_.push_back(static_cast<float>((1.0 - 2.0 * a) * std::exp(-a)));
    }
  }
}

std::int64_t SyntheticSurvey::trace_bytes() const {
  return trace_header_bytes + options_.samples * bytes_of(options_.sample_format);
}

SyntheticSurvey::Geometry SyntheticSurvey::geometry_of(std::int64_t index) const {
  Geometry g;
  g.shot = index / options_.channels;
  g.channel = index % options_.channels;
  g.line = g.shot / shots_per_line;
  g.shot_of_line = g.shot % shots_per_line;
  g.offset_m = near_offset_m + group_interval_m * static_cast<double>(g.channel);
  g.source_along_m = shot_interval_m * static_cast<double>(g.shot_of_line);

  // Lines lie side by side, to the right of the sailing direction.
  const double east = std::sin(azimuth_rad);
  const double north = std::cos(azimuth_rad);
  const double aside_m = line_spacing_m * static_cast<double>(g.line);
  const double line_x_m = first_easting_m + aside_m * north;
  const double line_y_m = first_northing_m - aside_m * east;
  g.source_x_m = line_x_m + g.source_along_m * east;
  g.source_y_m = line_y_m + g.source_along_m * north;

  const double feather_rad = feather_rad_ * (0.6 + 0.4 * std::sin(static_cast<double>(g.shot) / 60.0));
  g.group_x_m = g.source_x_m - g.offset_m * std::sin(azimuth_rad + feather_rad);
  g.group_y_m = g.source_y_m - g.offset_m * std::cos(azimuth_rad + feather_rad);

  g.bin = bins_per_shot * g.shot_of_line - g.channel;
  g.bin_along_m = bin_m * static_cast<double>(g.bin) - near_offset_m / 2;
  g.bin_x_m = line_x_m + g.bin_along_m * east;
  g.bin_y_m = line_y_m + g.bin_along_m * north;
  return g;
}

double SyntheticSurvey::sea_floor_m(double along_m) const {
  return undulating_s(reflectors.front(), along_m) * water_velocity_m_s / 2;
}

std::vector<std::string> SyntheticSurvey::text_lines() const {
  const std::int64_t lines = (shots_ + shots_per_line - 1) / shots_per_line;
  std::vector<std::string> text = {
      "SYNTHETIC MARINE SURVEY MADE BY SILL: NO FIELD DATA",
      "",
      fmt::format("TRACES {}  SHOTS {}  CHANNELS {}  SAIL LINES {}", options_.traces, shots_, options_.channels, lines),
      fmt::format("SAMPLES A TRACE {}  INTERVAL {} US  DELAY 0", options_.samples, options_.interval_us),
      fmt::format("SAMPLE FORMAT {}: {}", code_of(options_.sample_format), name_of(options_.sample_format)),
      fmt::format("BYTE ORDER {}", name_of(options_.byte_order)),
      "TRACES IN THE ORDER OF SHOTS, NEAR CHANNEL FIRST",
      "",
      fmt::format("SHOT INTERVAL {} M  GROUP INTERVAL {} M  NEAR OFFSET {} M", shot_interval_m, group_interval_m,
                  near_offset_m),
      fmt::format("AT MOST {} SHOTS A LINE  LINES {} M APART  AZIMUTH 52 DEGREES", shots_per_line, line_spacing_m),
      fmt::format("FEATHERING AT MOST {:.2f} DEGREES", feather_rad_ * 180.0 / std::numbers::pi),
      fmt::format("MIDPOINT BIN {} M, NUMBERED ALONG EACH LINE, LINE AFTER LINE", bin_m),
      fmt::format("SOURCE DEPTH {} M  STREAMER DEPTH {} M", source_depth_m, streamer_depth_m),
      "COORDINATES IN METRES, AN EASTING AND A NORTHING OF NO PARTICULAR PLACE",
      "COORDINATES, ELEVATIONS AND DEPTHS STORED IN CENTIMETRES (SCALARS -100)",
      "",
      "SIGNAL: DIRECT WAVE, FIVE REFLECTIONS, RICKER WAVELET, UNIFORM NOISE",
      fmt::format("SEED OF THE NOISE {}", options_.seed),
      "",
      "TRACE HEADER BYTES:",
      "17-20 SHOT POINT, FROM 1001 ON EACH LINE   21-24 MIDPOINT BIN",
  };
  if (options_.revision >= Revision::rev1) {
    text.emplace_back("181-188 CENTRE OF THE BIN   189-192 SAIL LINE, FROM 1001");
    text.emplace_back("193-196 BIN OF THE LINE   197-200 SHOT POINT");
  }
  text.resize(38);
  const bool has_revision = options_.revision >= Revision::rev1;
  text.push_back(has_revision ? fmt::format("SEG Y REV{}", name_of(options_.revision)) : "");
  text.emplace_back(has_revision ? "END TEXTUAL HEADER" : "END EBCDIC");
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = fmt::format("C{:2} {}", i + 1, text[i]);
  return text;
}

FileForm SyntheticSurvey::form() const {
  FileForm form{.byte_order = options_.byte_order,
                .revision = options_.revision,
                .sample_format = options_.sample_format,
                .samples = options_.samples,
                .interval_us = options_.interval_us,
                .traces = options_.traces};
  form.sorting_code = options_.revision >= Revision::rev1 ? 5 : 1;  // common source; as recorded
  form.measurement_system = 1;                                      // metres
  return form;
}

void SyntheticSurvey::file_header(std::span<std::byte> out) const {
  FileForm with_text = form();
  with_text.text = text_lines();
  std::ranges::copy(make_file_header(with_text), out.begin());
  const auto put4 = [&](int byte, std::int64_t value) {
    store(out.data() + byte - 1, static_cast<std::int32_t>(value), options_.byte_order);
  };
  const auto put2 = [&](int byte, std::int64_t value) {
    store(out.data() + byte - 1, static_cast<std::uint16_t>(value), options_.byte_order);
  };
  put4(3201, 1);
  put4(3205, first_line);
  put4(3209, 1);
  put2(3213, options_.channels);
  put2(3219, load<std::uint16_t>(out.data() + 3217 - 1, options_.byte_order));  // of the recording: the same
  put2(3223, load<std::uint16_t>(out.data() + 3221 - 1, options_.byte_order));
  put2(3227, (options_.channels + bins_per_shot - 1) / bins_per_shot);  // fold of a full midpoint gather
  put2(3231, 1);                                                        // no vertical sum
}

void SyntheticSurvey::trace(std::int64_t index, std::span<std::byte> out) const {
  const Geometry geometry = geometry_of(index);
  write_trace_header(index, geometry, out.data());
  write_samples(index, geometry, out.subspan(trace_header_bytes));
}

void SyntheticSurvey::write_trace_header(std::int64_t index, const Geometry& g, std::byte* out) const {
  std::fill(out, out + trace_header_bytes, std::byte{0});
  const auto put4 = [&](int byte, std::int64_t value) {
    store(out + byte - 1, static_cast<std::int32_t>(value), options_.byte_order);
  };
  const auto put2 = [&](int byte, std::int64_t value) {
    store(out + byte - 1, static_cast<std::int16_t>(value), options_.byte_order);
  };
  const std::int64_t bins_per_line = bins_per_shot * shots_per_line + options_.channels;
  const std::int64_t bin_number = g.bin + options_.channels;  // from 1: the lowest bin is 1 - channels
  // The first shot that a bin sees is the first with 4 * shot >= bin; each later shot adds a trace.
  const std::int64_t first_shot_of_bin = g.bin <= 0 ? 0 : (g.bin + bins_per_shot - 1) / bins_per_shot;

  put4(1, index - g.line * shots_per_line * options_.channels + 1);  // within the line
  put4(5, index + 1);
  put4(9, g.shot + 1);
  put4(13, g.channel + 1);
  put4(17, first_shot_point + g.shot_of_line);
  put4(21, g.line * bins_per_line + bin_number);
  put4(25, g.shot_of_line - first_shot_of_bin + 1);
  put2(29, 1);  // seismic data
  put2(31, 1);
  put2(33, 1);
  put2(35, 1);  // production
  put4(37, std::llround(g.offset_m));
  put4(41, scaled(-streamer_depth_m));
  put4(45, 0);
  put4(49, scaled(source_depth_m));
  put4(61, scaled(sea_floor_m(g.source_along_m)));
  put4(65, scaled(sea_floor_m(g.source_along_m - g.offset_m)));
  put2(69, -scale);
  put2(71, -scale);
  put4(73, scaled(g.source_x_m));
  put4(77, scaled(g.source_y_m));
  put4(81, scaled(g.group_x_m));
  put4(85, scaled(g.group_y_m));
  put2(89, 1);  // coordinates are lengths
  put2(91, std::llround(water_velocity_m_s));
  // Values that exceed the words are stated by the binary header alone.
  put2(115, options_.samples <= 65535 ? options_.samples : 0);
  put2(117, options_.interval_us == std::floor(options_.interval_us) ? std::llround(options_.interval_us) : 0);
  put2(119, 1);  // fixed gain

  using namespace std::chrono;
  constexpr sys_days first_day = year{2024} / April / 9;
  const seconds since_start{21600 + g.shot * seconds_per_shot + g.line * seconds_per_turn};
  const sys_days day = first_day + floor<days>(since_start);
  const year_month_day date(day);
  const hh_mm_ss clock(since_start - floor<days>(since_start));
  put2(157, int{date.year()});
  put2(159, (day - sys_days(date.year() / January / 1)).count() + 1);
  put2(161, clock.hours().count());
  put2(163, clock.minutes().count());
  put2(165, clock.seconds().count());
  put2(167, 2);  // GMT

  if (options_.revision >= Revision::rev1) {
    put4(181, scaled(g.bin_x_m));
    put4(185, scaled(g.bin_y_m));
    put4(189, first_line + g.line);
    put4(193, bin_number);
    put4(197, first_shot_point + g.shot_of_line);
    put2(201, 1);
  }
}

void SyntheticSurvey::write_samples(std::int64_t index, const Geometry& g, std::span<std::byte> out) const {
  const double interval_s = options_.interval_us * 1e-6;
  const auto [peak, middle] = scale_of(options_.sample_format);
  const std::int64_t wavelet_samples = 2 * half_wavelet_ + 1;

  std::array<Arrival, reflectors.size() + 1> arrivals;
  const auto arrival_at = [&](double time_s, double amplitude) -> Arrival {
    // Beyond the record: an arrival that adds nothing.
    const double in_shifts = std::min(time_s / interval_s, 131072.0) * static_cast<double>(shifts);
    const std::int64_t nearest = std::llround(in_shifts);
    return {.first_sample = nearest / shifts - half_wavelet_,
            .wavelet = wavelet_.data() + (nearest % shifts) * wavelet_samples,
            .amplitude = peak * static_cast<float>(amplitude)};
  };
  arrivals[0] = arrival_at(g.offset_m / water_velocity_m_s, direct_amplitude * near_offset_m / g.offset_m);
  for (std::size_t i = 0; i < reflectors.size(); ++i) {
    const double zero_offset_s = undulating_s(reflectors[i], g.bin_along_m);
    const double time_s = std::hypot(zero_offset_s, g.offset_m / reflectors[i].velocity_m_s);
    arrivals[i + 1] = arrival_at(time_s, reflectors[i].amplitude * zero_offset_s / time_s);
  }

  const std::uint64_t key = mixed(options_.seed * golden + mixed(static_cast<std::uint64_t>(index) + 1));
  const auto sample_bytes = static_cast<std::size_t>(bytes_of(options_.sample_format));
  const auto samples = static_cast<std::size_t>(options_.samples);
  std::array<float, block_samples> buffer;
  for (std::size_t first = 0; first < samples; first += block_samples) {
    const std::span<float> block(buffer.data(), std::min(block_samples, samples - first));
    fill_noise(key, first, peak * static_cast<float>(noise_amplitude), block);
    for (const Arrival& arrival : arrivals) {
      const std::int64_t block_start = static_cast<std::int64_t>(first) - arrival.first_sample;  // within the wavelet
      const std::int64_t from = std::max<std::int64_t>(block_start, 0);
      const std::int64_t to = std::min(block_start + std::ssize(block), wavelet_samples);
      if (from >= to) continue;
      float* sample = block.data() + (from - block_start);
      for (std::int64_t k = from; k < to; ++k) *sample++ += arrival.amplitude * arrival.wavelet[k];
    }
    if (middle > 0.0F)
      for (float& sample : block) sample += middle;
    encode(block, options_.sample_format, options_.byte_order,
           out.subspan(first * sample_bytes, block.size() * sample_bytes));
  }
}

}  // namespace sill::segy
