#include "sill/formats/segy/synthetic/synthetic_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

#include "sill/base/error.hpp"
#include "sill/base/splitmix.hpp"
#include "sill/formats/segy/samples/sample_codec.hpp"
#include "sill/formats/segy/text/text_header.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::segy {
namespace {

constexpr int first_line = 1001;
constexpr int first_shot_point = 1001;
constexpr double source_depth_m = 6.0;  // for the plain kind; the other kinds are recorded at the sea surface
constexpr double streamer_depth_m = 8.0;
constexpr int scale = 100;  // scalar of coordinates, elevations and depths: centimetres
constexpr std::int64_t seconds_per_shot = 10;
constexpr std::int64_t seconds_per_turn = 3 * 3600;

// A reflector of the plain kind: a hyperbolic event that undulates along the line.
struct PlainReflector {
  double zero_offset_s;
  double velocity_m_s;
  double amplitude;
};
constexpr std::array plain_reflectors = {PlainReflector{0.80, 1500.0, 0.22}, PlainReflector{1.15, 1680.0, 0.14},
                                         PlainReflector{1.60, 1920.0, 0.11}, PlainReflector{2.15, 2230.0, 0.08},
                                         PlainReflector{2.90, 2650.0, 0.05}};
constexpr double plain_direct_amplitude = 0.3;
constexpr double plain_direct_m = 150.0;
constexpr double plain_noise = 0.02;  // if all arrivals coincide, the sum remains below 1
constexpr double model_noise = 0.01;

constexpr std::size_t block_samples = 1024;

void require(bool holds, const char* name, auto value, const char* range) {
  if (holds) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("{} of a survey cannot be {}", name, value),
               .action = fmt::format("give {}", range)});
}

std::int32_t scaled(double value_m) { return static_cast<std::int32_t>(std::llround(value_m * scale)); }

/// The range of sample values for a format: `middle` plus or minus less than `peak`.
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

/// Returns the two-way time at zero offset of a reflector that undulates gently along the line.
double undulating_s(const PlainReflector& reflector, double along_m) {
  const double phase = 2.0 * std::numbers::pi * along_m / 4000.0 + 3.0 * reflector.zero_offset_s;
  return reflector.zero_offset_s * (1.0 + 0.03 * std::sin(phase));
}

/// Writes uniform noise for samples `first` to `first + out.size()`; `first` is a multiple of 4. Precondition: `out`
/// has at most `block_samples` samples.
void fill_noise(std::uint64_t key, std::size_t first, float amplitude, std::span<float> out) {
  const float unit = amplitude / 32768.0F;
  std::array<std::byte, 2 * block_samples> random;  // 16 bits per sample
  for (std::size_t i = 0; i < out.size(); i += 4)
    store(random.data() + 2 * i, splitmix_of(key + ((first + i) / 4) * splitmix_step), ByteOrder::little);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = unit * static_cast<float>(load<std::int16_t>(random.data() + 2 * i, ByteOrder::little));
}

FileForm form_of(const SurveyOptions& options) {
  FileForm form{.byte_order = options.byte_order,
                .revision = options.revision,
                .sample_format = options.sample_format,
                .samples = options.samples,
                .interval_us = options.interval_us,
                .traces = options.traces};
  form.sorting_code = options.kind == SurveyKind::cube     ? 4
                      : options.revision >= Revision::rev1 ? 5
                                                           : 1;  // stacked; by source; as recorded
  form.measurement_system = 1;                                   // metres
  return form;
}

SurveyOptions required(SurveyOptions options) {
  constexpr std::int64_t max_traces = std::numeric_limits<std::int32_t>::max();
  require(options.traces >= 1 && options.traces <= max_traces, "the traces", options.traces, "1 to 2147483647");
  require_writable(options.sample_format);
  require(options.samples >= 1 && options.samples <= max_traces, "the samples per trace", options.samples,
          "1 to 2147483647");
  require(options.interval_us > 0.0 && options.interval_us <= 65535.0, "the sample interval", options.interval_us,
          "microseconds, above 0, to 65535");
  require_possible(form_of(options));
  require(options.channels >= 0 && options.channels <= 32767, "the channels per shot", options.channels,
          "1 to 32767, or 0 to choose the number automatically");
  const bool is_plain = options.kind == SurveyKind::plain;
  if (!options.noise) options.noise = is_plain ? plain_noise : model_noise;
  require(*options.noise >= 0.0 && *options.noise <= 1.0, "the noise", *options.noise, "0 to 1");
  return options;
}

double record_s_of(const SurveyOptions& options) {
  return static_cast<double>(options.samples) * options.interval_us * 1e-6;
}

const char* title_of(SurveyKind kind) {
  switch (kind) {
    case SurveyKind::streamer: return "3-D STREAMER SURVEY";
    case SurveyKind::cube: return "POST-STACK MIGRATED CUBE";
    case SurveyKind::plain:
    case SurveyKind::line: break;
  }
  return "2-D MARINE LINE";
}

void append_plain_arrivals(const TraceGeometry& g, std::vector<Arrival>& arrivals) {
  arrivals.push_back({g.offset_m / water_velocity_m_s, plain_direct_amplitude * plain_direct_m / g.offset_m});
  for (const PlainReflector& reflector : plain_reflectors) {
    const double zero_offset_s = undulating_s(reflector, g.bin_along_m);
    const double time_s = std::hypot(zero_offset_s, g.offset_m / reflector.velocity_m_s);
    arrivals.push_back({time_s, reflector.amplitude * zero_offset_s / time_s});
  }
}

// Writes the time of a shot into the words of the trace header.
void put_time(const TraceGeometry& g, const auto& put2) {
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
}

}  // namespace

SyntheticSurvey::SyntheticSurvey(SurveyOptions options)
    : options_(required(std::move(options))),
      acquisition_(options_.kind, options_.traces, options_.channels),
      wavelet_(options_.wavelet.amplitudes.empty() ? WaveletTable::ricker(options_.interval_us * 1e-6)
                                                   : WaveletTable::of(options_.wavelet)),
      conversion_(SampleFormat::ieee_float, native_order, options_.sample_format, options_.byte_order, {}) {
  if (!is_plain()) model_.emplace(record_s_of(options_));
}

std::int64_t SyntheticSurvey::trace_bytes() const {
  return trace_header_bytes + options_.samples * bytes_of(options_.sample_format);
}

std::vector<std::string> SyntheticSurvey::text_lines() const {
  const Acquisition& a = acquisition_;
  const char* const counts = a.is_cube() ? "TRACES {}  INLINES {}  CROSSLINES {}  LINES {}"
                                         : "TRACES {}  SHOTS {}  CHANNELS {}  SAIL LINES {}";
  std::vector<std::string> text = {
      is_plain() ? "SYNTHETIC MARINE SURVEY MADE BY SILL: NO FIELD DATA"
                 : fmt::format("SYNTHETIC {} MADE BY SILL: NO FIELD DATA", title_of(options_.kind)),
      "",
      fmt::format(fmt::runtime(counts), options_.traces, a.shots(), a.traces_per_shot(), a.lines()),
      fmt::format("SAMPLES {} TRACE {}  INTERVAL {} US  DELAY 0", is_plain() ? "A" : "PER", options_.samples,
                  options_.interval_us),
      fmt::format("SAMPLE FORMAT {}: {}", code_of(options_.sample_format), name_of(options_.sample_format)),
      fmt::format("BYTE ORDER {}", name_of(options_.byte_order)),
      a.is_cube() ? "TRACES IN THE ORDER OF INLINES, THEN CROSSLINES"
                  : "TRACES IN THE ORDER OF SHOTS, NEAR CHANNEL FIRST",
      "",
  };
  const auto add = [&]<class... Values>(fmt::format_string<Values...> format, Values&&... values) {
    text.push_back(fmt::format(format, std::forward<Values>(values)...));
  };
  if (a.is_cube()) {
    add("INLINES {} M APART  CROSSLINES {} M APART  AZIMUTH 52 DEGREES", cube_bin_m, cube_bin_m);
  } else {
    add("SHOT INTERVAL {} M  GROUP INTERVAL {} M  NEAR OFFSET {} M", shot_interval_m, group_interval_m, near_offset_m);
    add("AT MOST {} SHOTS PER LINE  LINES {} M APART  AZIMUTH 52 DEGREES", a.shots_per_line(), a.line_spacing_m());
    if (is_plain()) add("FEATHERING AT MOST {:.2f} DEGREES", a.feather_rad() * 180.0 / std::numbers::pi);
    if (a.cables() > 1)
      add("{} CABLES {} M APART  TWO SOURCES {} M APART, IN TURN", a.cables(), cable_spacing_m, source_spacing_m);
    add("MIDPOINT BIN {} M, NUMBERED ALONG EACH LINE, LINE AFTER LINE", marine_bin_m);
    if (is_plain()) add("SOURCE DEPTH {} M  STREAMER DEPTH {} M", source_depth_m, streamer_depth_m);
  }
  add("COORDINATES IN METRES: EASTING AND NORTHING, OF NO REAL PLACE");
  add("COORDINATES, ELEVATIONS AND DEPTHS STORED IN CENTIMETRES (SCALARS -100)");
  add("");
  if (is_plain()) {
    add("SIGNAL: DIRECT WAVE, FIVE REFLECTIONS, RICKER WAVELET, UNIFORM NOISE");
  } else {
    add("MODEL: WATER {} M, {} M/S; BELOW {} M/S + {} PER S", water_depth_m, water_velocity_m_s, top_velocity_m_s,
        velocity_gradient_1_s);
    add("LAYERS, AN UNCONFORMITY, FOLDS CUT BY FAULTS, DIFFRACTORS");
    text.emplace_back(a.is_cube() ? "SIGNAL: PRIMARIES AT VERTICAL TIMES (MIGRATED), UNIFORM NOISE"
                                  : "SIGNAL: DIRECT WAVE, PRIMARIES, WATER MULTIPLES, UNIFORM NOISE");
    add("WAVELET: {}", options_.wavelet.amplitudes.empty() ? "RICKER" : "OF THE USER");
  }
  add("SEED OF THE NOISE {}", options_.seed);
  add("");
  add("TRACE HEADER BYTES:");
  text.emplace_back(a.is_cube() ? "21-24 BIN" : "17-20 SHOT POINT, FROM 1001 ON EACH LINE   21-24 MIDPOINT BIN");
  if (options_.revision >= Revision::rev1) {
    add("{}   189-192 {}, FROM 1001", is_plain() ? "181-188 CENTRE OF THE BIN" : "181-184 CDP X  185-188 CDP Y",
        a.is_cube() || a.cables() > 1 ? "INLINE" : "SAIL LINE");
    text.emplace_back(a.is_cube() ? "193-196 CROSSLINE" : "193-196 BIN OF THE LINE   197-200 SHOT POINT");
  }
  return numbered_text(std::move(text), options_.revision);
}

void SyntheticSurvey::file_header(std::span<std::byte> out) const {
  FileForm with_text = form_of(options_);
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
  put2(3213, acquisition_.is_cube() ? 1 : acquisition_.traces_per_shot());
  put2(3219, load<std::uint16_t>(out.data() + 3217 - 1, options_.byte_order));  // the interval of the recording is the
                                                                                // same
  put2(3223, load<std::uint16_t>(out.data() + 3221 - 1, options_.byte_order));
  put2(3227, acquisition_.full_fold());
  put2(3231, 1);  // no vertical sum
}

void SyntheticSurvey::trace(std::int64_t index, std::span<std::byte> out) const {
  const TraceGeometry geometry = acquisition_.trace(index);
  write_trace_header(index, geometry, out.data());
  write_samples(index, geometry, out.subspan(trace_header_bytes));
}

void SyntheticSurvey::write_trace_header(std::int64_t index, const TraceGeometry& g, std::byte* out) const {
  std::fill(out, out + trace_header_bytes, std::byte{0});
  const auto put4 = [&](int byte, std::int64_t value) {
    store(out + byte - 1, static_cast<std::int32_t>(value), options_.byte_order);
  };
  const auto put2 = [&](int byte, std::int64_t value) {
    store(out + byte - 1, static_cast<std::int16_t>(value), options_.byte_order);
  };
  const bool is_shot = !acquisition_.is_cube();
  const auto sea_floor_m = [&](double along_m) {
    return is_plain() ? undulating_s(plain_reflectors.front(), along_m) * water_velocity_m_s / 2 : water_depth_m;
  };
  put4(1, index - g.line * acquisition_.shots_per_line() * acquisition_.traces_per_shot() + 1);  // number within the
                                                                                                 // line
  put4(5, index + 1);
  if (is_shot) {
    put4(9, g.shot + 1);
    put4(13, g.channel + 1);
    put4(17, first_shot_point + g.shot_of_line);
  }
  put4(21, acquisition_.bin_number_of_all(g));
  put4(25, g.bin_trace + 1);
  put2(29, 1);  // seismic data
  put2(31, 1);
  put2(33, 1);
  put2(35, 1);  // production
  put4(37, std::llround(g.offset_m));
  put4(41, scaled(is_plain() ? -streamer_depth_m : 0.0));
  put4(45, 0);
  put4(49, scaled(is_plain() ? source_depth_m : 0.0));
  put4(61, scaled(sea_floor_m(g.source.x_m)));
  put4(65, scaled(sea_floor_m(g.source.x_m - g.offset_m)));
  put2(69, -scale);
  put2(71, -scale);
  put4(73, scaled(g.source_x_m));
  put4(77, scaled(g.source_y_m));
  put4(81, scaled(g.group_x_m));
  put4(85, scaled(g.group_y_m));
  put2(89, 1);  // coordinates are lengths
  put2(91, std::llround(water_velocity_m_s));
  // Values that do not fit into these words are stated only in the binary header.
  put2(115, options_.samples <= 65535 ? options_.samples : 0);
  put2(117, options_.interval_us == std::floor(options_.interval_us) ? std::llround(options_.interval_us) : 0);
  put2(119, 1);  // fixed gain

  if (is_shot) put_time(g, put2);

  if (options_.revision >= Revision::rev1) {
    put4(181, scaled(g.bin_x_m));
    put4(185, scaled(g.bin_y_m));
    put4(189, first_line + g.bin_line);
    put4(193, acquisition_.bin_number(g));
    if (is_shot) {
      put4(197, first_shot_point + g.shot_of_line);
      put2(201, 1);
    }
  }
}

void SyntheticSurvey::write_samples(std::int64_t index, const TraceGeometry& g, std::span<std::byte> out) const {
  const double interval_s = options_.interval_us * 1e-6;
  const auto [peak, middle] = scale_of(options_.sample_format);
  std::vector<Arrival> arrivals;
  if (is_plain())
    append_plain_arrivals(g, arrivals);
  else if (acquisition_.is_cube())
    model_->append_image(g.source, arrivals);
  else
    model_->append_arrivals(g.source, g.receiver, arrivals);

  const std::uint64_t key =
      splitmix_of(options_.seed * splitmix_step + splitmix_of(static_cast<std::uint64_t>(index) + 1));
  const auto sample_bytes = static_cast<std::size_t>(bytes_of(options_.sample_format));
  const auto samples = static_cast<std::size_t>(options_.samples);
  std::array<float, block_samples> buffer;
  ConversionAccount losses;  // not reported
  for (std::size_t first = 0; first < samples; first += block_samples) {
    const std::span<float> block(buffer.data(), std::min(block_samples, samples - first));
    fill_noise(key, first, peak * static_cast<float>(*options_.noise), block);
    for (const Arrival& arrival : arrivals) {
      const double place = arrival.time_s / interval_s;
      if (place > static_cast<double>(samples) + static_cast<double>(wavelet_.samples())) continue;
      const WaveletTable::Place wavelet = wavelet_.at(place);
      const std::int64_t block_start = static_cast<std::int64_t>(first) - wavelet.first_sample;  // index within the
                                                                                                 // wavelet
      const std::int64_t from = std::max<std::int64_t>(block_start, 0);
      const std::int64_t to = std::min(block_start + std::ssize(block), wavelet_.samples());
      if (from >= to) continue;
      const float amplitude = peak * static_cast<float>(arrival.amplitude);
      float* sample = block.data() + (from - block_start);
      for (std::int64_t k = from; k < to; ++k) *sample++ += amplitude * wavelet.amplitudes[k];
    }
    if (middle > 0.0F)
      for (float& sample : block) sample += middle;
    conversion_.convert(std::as_bytes(block), out.subspan(first * sample_bytes, block.size() * sample_bytes), losses);
  }
}

std::string velocity_table(const SurveyOptions& options) {
  const double record_s = record_s_of(options);
  constexpr double step_s = 0.02;
  std::string text = "time_s,velocity_m/s\n";
  const auto rows = static_cast<std::int64_t>(std::ceil(record_s / step_s));
  for (std::int64_t row = 0; row <= rows; ++row) {
    const double time_s = step_s * static_cast<double>(row);
    text += fmt::format("{:.2f},{:.2f}\n", time_s, rms_velocity_m_s(time_s));
  }
  return text;
}

}  // namespace sill::segy
