#include "sill/formats/station/channel_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::station {
namespace {

[[noreturn]] void refuse_channels(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

constexpr std::int64_t seed_record_bytes = 4096;
constexpr std::int64_t seed_header_bytes = 128;

void put_code(std::span<std::byte> out, std::size_t at, std::size_t length, const std::string& code) {
  for (std::size_t i = 0; i < length; ++i) out[at + i] = static_cast<std::byte>(i < code.size() ? code[i] : ' ');
}

}  // namespace

ChannelFile::ChannelFile(Channels of) : of_(std::move(of)) {
  if (of_.list.empty()) refuse_channels("a file without channels", "give stations and components, or another form");
  if (!(of_.interval_s > 0.0) || !std::isfinite(of_.interval_s) || of_.final_steps < 1)
    refuse_channels(fmt::format("{} time steps, {} s apart, cannot be recorded", of_.final_steps, of_.interval_s),
                    "give numbers above 0");
}

GatherFile::GatherFile(Channels of, segy::FileKind kind) : ChannelFile(std::move(of)) {
  const double exact_us = of_.interval_s * 1e6;
  const double whole_us = std::round(exact_us);
  segy::FileForm form{.kind = kind,
                      .byte_order = kind == segy::FileKind::segy ? ByteOrder::big : ByteOrder::little,
                      .samples = of_.final_steps,
                      .interval_us = std::abs(exact_us - whole_us) < 1e-6 * exact_us ? whole_us : exact_us,
                      .traces = channels(),
                      .sorting_code = 5,
                      .measurement_system = 1};
  const bool fits_rev1 = form.samples <= segy::max_short_samples && segy::is_short_interval(form.interval_us);
  if (kind == segy::FileKind::segy && !fits_rev1) form.revision = segy::Revision::rev2_1;
  for (const std::string& line : {std::string("WHAT THE RECEIVERS OF A SIMULATION RECORD"),
                                  fmt::format("SHOT {}  CHANNELS {}", of_.shot, channels()),
                                  fmt::format("TIME STEPS {}  INTERVAL {} S", of_.final_steps, of_.interval_s),
                                  std::string("CDP: NUMBER OF THE STATION; CDPT: NUMBER OF THE COMPONENT")})
    form.text.push_back(fmt::format("C{:2} {}", form.text.size() + 1, line));
  segy::require_possible(form);
  double largest_m = 0.0;
  const auto take = [&](const std::array<double, 3>& position_m) {
    for (const double each : position_m)
      largest_m = std::isfinite(each) ? std::max(largest_m, std::abs(each)) : HUGE_VAL;
  };
  for (const Channel& each : of_.list) take(each.station.position_m);
  if (of_.source_m) take(*of_.source_m);
  // The finest unit that the coordinates allow, down to a millimetre.
  for (scale_ = 1000; scale_ > 1 && largest_m * static_cast<double>(scale_) > std::numeric_limits<std::int32_t>::max();)
    scale_ /= 10;
  if (largest_m > std::numeric_limits<std::int32_t>::max())
    refuse_channels(fmt::format("coordinates of {} m exceed the range of the words of SEG-Y", largest_m),
                    "give smaller coordinates");
  if (kind == segy::FileKind::segy) file_header_ = segy::make_file_header(form);
  byte_order_ = form.byte_order;
  record_header_bytes_ = segy::trace_header_bytes;
  record_bytes_ = form.trace_bytes();
  block_steps_ = of_.final_steps;
}

void GatherFile::record_header(std::int64_t, std::int64_t channel, std::int64_t, std::span<std::byte> out) const {
  std::ranges::fill(out, std::byte{0});
  const Channel& of = of_.list[static_cast<std::size_t>(channel)];
  const auto put4 = [&](int byte, std::int64_t value) {
    store(out.data() + byte - 1, static_cast<std::int32_t>(value), byte_order_);
  };
  const auto put2 = [&](int byte, std::int64_t value) {
    store(out.data() + byte - 1, static_cast<std::int16_t>(value), byte_order_);
  };
  const auto scaled = [&](double value_m) { return std::llround(value_m * static_cast<double>(scale_)); };
  put4(1, channel + 1);
  put4(5, channel + 1);
  put4(9, of_.shot);
  put4(13, channel + 1);
  put4(17, of_.shot);
  put4(21, of.station.number);
  put4(25, of.component + 1);
  put2(29, 1);  // seismic data
  put2(69, scale_ == 1 ? 1 : -scale_);
  put2(71, scale_ == 1 ? 1 : -scale_);
  put4(41, scaled(of.station.position_m[2]));
  put4(81, scaled(of.station.position_m[0]));
  put4(85, scaled(of.station.position_m[1]));
  put2(89, 1);  // length
  if (of_.source_m) {
    const std::array<double, 3>& source_m = *of_.source_m;
    put4(37, std::llround(std::hypot(of.station.position_m[0] - source_m[0], of.station.position_m[1] - source_m[1])));
    put4(45, scaled(source_m[2]));
    put4(73, scaled(source_m[0]));
    put4(77, scaled(source_m[1]));
  }
  const double interval_us = of_.interval_s * 1e6;
  if (of_.final_steps <= segy::max_short_samples) put2(115, of_.final_steps);
  if (interval_us < 65535.5) put2(117, std::llround(interval_us));
}

MiniSeedFile::MiniSeedFile(Channels of) : ChannelFile(std::move(of)) {
  constexpr std::size_t station_characters = 5;
  constexpr std::size_t channel_characters = 3;
  for (const Channel& each : of_.list) {
    if (fmt::formatted_size("{}", each.station.number) > station_characters)
      refuse_station(each.station, "its number has more digits than the five characters of a miniSEED station code");
    if (each.component_name.empty() || each.component_name.size() > channel_characters)
      refuse_station(each.station,
                     fmt::format("'{}' is not a name of 1 to {} characters, as miniSEED needs for channels",
                                 each.component_name, channel_characters));
  }
  record_header_bytes_ = seed_header_bytes;
  record_bytes_ = seed_record_bytes;
  block_steps_ = (seed_record_bytes - seed_header_bytes) / 4;
  counts_steps_ = true;
  // The rate as a fraction of 16-bit numbers; blockette 100 states it as a float.
  constexpr double max = std::numeric_limits<std::int16_t>::max();
  double min_error = HUGE_VAL;
  const double rate = 1.0 / of_.interval_s;
  for (int divisor = 1; divisor <= std::numeric_limits<std::int16_t>::max(); ++divisor) {
    const double factor = std::round(rate * divisor);
    const double error = std::abs(factor / divisor - rate);
    if (factor > max) break;
    if (factor < 1.0 || error >= min_error * (1 - 1e-9)) continue;
    min_error = error;
    rate_factor_ = static_cast<std::int16_t>(factor);
    rate_multiplier_ = static_cast<std::int16_t>(divisor == 1 ? 1 : -divisor);
  }
  if (rate_factor_ == 0)
    refuse_channels(fmt::format("an interval of {} s cannot be stated in miniSEED", of_.interval_s),
                    "choose another file format");
}

void MiniSeedFile::record_header(std::int64_t block, std::int64_t channel, std::int64_t steps,
                                 std::span<std::byte> out) const {
  namespace chrono = std::chrono;
  std::ranges::fill(out, std::byte{0});
  const Channel& of = of_.list[static_cast<std::size_t>(channel)];
  const auto put1 = [&](std::size_t at, std::int64_t value) { out[at] = static_cast<std::byte>(value); };
  const auto put2 = [&](std::size_t at, std::int64_t value) {
    store(out.data() + at, static_cast<std::uint16_t>(value), ByteOrder::big);
  };
  put_code(out, 0, 8, fmt::format("{:06}D ", (block + 1) % 1'000'000));
  put_code(out, 8, 5, fmt::format("{}", of.station.number));
  put_code(out, 13, 2, "");
  put_code(out, 15, 3, of.component_name);
  put_code(out, 18, 2, "XX");
  const chrono::sys_time<chrono::microseconds> start(chrono::microseconds(
      of_.start_us + std::llround(static_cast<double>(block * block_steps_) * of_.interval_s * 1e6)));
  const auto day = chrono::floor<chrono::days>(start);
  const auto year = chrono::year_month_day(day).year();
  const chrono::hh_mm_ss time(start - day);
  const std::int64_t fraction_us = time.subseconds().count();
  put2(20, int{year});
  put2(22, (day - chrono::sys_days(year / chrono::January / 1)).count() + 1);
  put1(24, time.hours().count());
  put1(25, time.minutes().count());
  put1(26, time.seconds().count());
  put2(28, fraction_us / 100);
  put2(30, steps);
  put2(32, rate_factor_);
  put2(34, rate_multiplier_);
  put1(39, 3);  // blockettes
  put2(44, seed_header_bytes);
  put2(46, 48);
  put2(48, 1000);
  put2(50, 56);
  put1(52, 4);   // IEEE floats
  put1(53, 1);   // big-endian
  put1(54, 12);  // 2^12 bytes
  put2(56, 1001);
  put2(58, 64);
  put1(61, fraction_us % 100);
  put2(64, 100);
  store(out.data() + 68, static_cast<float>(1.0 / of_.interval_s), ByteOrder::big);
}

std::int64_t MiniSeedFile::steps_in(std::span<const std::byte> record_header) const {
  return load<std::uint16_t>(record_header.data() + 30, ByteOrder::big);
}

}  // namespace sill::station
