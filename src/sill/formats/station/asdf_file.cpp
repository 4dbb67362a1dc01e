#include "sill/formats/station/asdf_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <regex>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill::station {
namespace {

[[noreturn]] void refuse_asdf(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

bool is_code(std::string_view text, std::size_t min, std::size_t max) {
  return text.size() >= min && text.size() <= max &&
         std::ranges::all_of(text, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
}

// Returns NET.STA.LOC.
std::string code_of(const Station& station) {
  std::string code = station.code.empty() ? fmt::format("XX.{}", station.number) : station.code;
  if (std::ranges::count(code, '.') == 1) code += '.';
  const std::size_t first = code.find('.');
  const std::size_t second = code.find('.', first == std::string::npos ? first : first + 1);
  if (second == std::string::npos || !is_code(std::string_view(code).substr(0, first), 1, 2) ||
      !is_code(std::string_view(code).substr(first + 1, second - first - 1), 1, 5) ||
      !is_code(std::string_view(code).substr(second + 1), 0, 2)) {
    throw Error(
        {.code = ErrorCode::usage,
         .problem = fmt::format("station {} has the code '{}', which ASDF does not allow", station.number,
                                echoed(station.code.empty() ? code.substr(0, code.size() - 1) : station.code, 60)),
         .action = "give NET.STA or NET.STA.LOC: 1 or 2, 1 to 5, and up to 2 capital letters or digits"});
  }
  return code;
}

std::string network_and_station(std::string_view code) { return std::string(code.substr(0, code.rfind('.'))); }

// Nanoseconds since 1970 of a step. Errors: usage for times outside the years that ASDF allows.
std::int64_t time_ns(const Channels& of, std::int64_t step) {
  const double offset_ns = static_cast<double>(step) * of.interval_s * 1e9;
  std::int64_t time = 0;
  constexpr std::int64_t first_ns = -5'364'662'400'000'000'000;  // 1800-01-01
  constexpr std::int64_t end_ns = 7'258'118'400'000'000'000;     // 2200-01-01
  const bool is_too_large = !(offset_ns < 9e18) || __builtin_mul_overflow(of.start_us, 1000, &time) ||
                            __builtin_add_overflow(time, std::llround(offset_ns), &time);
  if (!is_too_large && time >= first_ns && time < end_ns) return time;
  refuse_asdf(fmt::format("time step {} is at {} us + {} s since 1970, beyond the times of ASDF", step, of.start_us,
                          offset_ns / 1e9),
              "give times between the years 1800 and 2199, and an interval in seconds");
}

// ISO 8601, to the second.
std::string time_text(std::int64_t ns) {
  namespace chrono = std::chrono;
  const chrono::sys_time<chrono::nanoseconds> time{chrono::nanoseconds(ns)};
  const auto day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss clock(chrono::floor<chrono::seconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", int{date.year()}, unsigned{date.month()},
                     unsigned{date.day()}, clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::int64_t fraction_ns(std::int64_t ns) { return ((ns % 1'000'000'000) + 1'000'000'000) % 1'000'000'000; }

}  // namespace

AsdfFile::AsdfFile(Channels of, Labels labels) : ChannelFile(std::move(of)), labels_(std::move(labels)) {
  const auto is_tag = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (labels_.tag.empty() || labels_.tag.size() > 100 || !std::ranges::all_of(labels_.tag, is_tag)) {
    refuse_asdf(fmt::format("'{}' is not a tag of ASDF", echoed(labels_.tag, 60)),
                "give up to 100 lower-case letters, digits and underscores");
  }
  if (labels_.event_id.size() > 1000 ||
      !std::ranges::all_of(labels_.event_id, [](char c) { return c > ' ' && c < 127; }))
    refuse_asdf(fmt::format("'{}' is not an event id", echoed(labels_.event_id, 60)),
                "give up to 1,000 ASCII characters");
  for (const Channel& each : of_.list) {
    if (!is_code(each.component_name, 3, 3)) {
      refuse_asdf(fmt::format("component {} has the name '{}', which is not a channel code", each.component + 1,
                              echoed(each.component_name, 60)),
                  "name the components by 3 capital letters or digits each: BXE,BXN,BXZ");
    }
    if (each.component == 0) codes_.push_back(code_of(each.station));
  }
  std::ranges::sort(codes_);
  const auto twice = std::ranges::adjacent_find(codes_);
  if (twice != codes_.end())
    refuse_asdf(fmt::format("two stations have the code {}", *twice), "give each station another code or location");
  (void)time_ns(of_, 0);
  (void)time_ns(of_, of_.final_steps - 1);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(of_.final_steps, 4 * channels(), &bytes))
    refuse_asdf(fmt::format("{} time steps of {} channels exceed the largest file", of_.final_steps, channels()),
                "record fewer");
  record_bytes_ = 4 * of_.final_steps;
  block_steps_ = of_.final_steps;
  byte_order_ = ByteOrder::little;
  counts_steps_ = true;
}

void AsdfFile::require_attachable(const hdf5::NewArray& array) const {
  const auto refuse = [&](const char* problem, const char* action) {
    refuse_asdf(fmt::format("'{}' cannot be attached to an ASDF file: {}", echoed(array.path, 100), problem), action);
  };
  static const std::regex document("QuakeML|Provenance/[A-Za-z0-9_.:-]+");
  static const std::regex auxiliary(R"(AuxiliaryData(/(?!\.\.?(/|$))[-A-Za-z0-9_.!#$%&*+,:;<=>?@^~]+){2,})");
  static const std::regex station_xml("Waveforms/([A-Z0-9]+[.][A-Z0-9]+)/StationXML");
  std::smatch match;
  const bool is_short = array.path.size() <= 255;
  const bool is_auxiliary = is_short && std::regex_match(array.path, auxiliary);
  if (is_short && std::regex_match(array.path, match, station_xml)) {
    const std::string code = match[1].str();
    const auto found = std::ranges::lower_bound(codes_, code + '.');
    if (found == codes_.end() || network_and_station(*found) != code)
      refuse("no station has this code", "name a station as Waveforms/NET.STA/StationXML");
  } else if (!is_auxiliary && !(is_short && std::regex_match(array.path, document))) {
    refuse(
        "ASDF has no such object, or a name has a character that ASDF does not allow",
        "give QuakeML, Waveforms/NET.STA/StationXML, Provenance/NAME or AuxiliaryData/TYPE/NAME, up to 255 characters");
  }
  if (is_auxiliary ? array.type == ElementType::text : array.type != ElementType::u1 || array.shape.size() != 1)
    refuse("an XML document has one dimension of u1, other data is numbers", "attach the document as text");
  if (!array.attributes.empty() && !is_auxiliary)
    refuse("only auxiliary data has attributes", "attach attributes to AuxiliaryData/TYPE/NAME");
  for (const Attribute& each : array.attributes) {
    if (each.name.empty() || each.count() < 1) refuse("an attribute has no name or no value", "give both");
  }
  std::int64_t bytes = bytes_of(array.type);
  for (const std::int64_t length : array.shape) {
    if (length < 1 || __builtin_mul_overflow(bytes, length, &bytes))
      refuse("its shape is empty or too large", "give lengths above 0");
  }
  if (array.shape.size() > 32) refuse("it has more than 32 dimensions", "give up to 32");
}

std::string AsdfFile::waveform_name_end() const {
  const std::int64_t first = time_ns(of_, 0);
  const std::int64_t last = time_ns(of_, of_.final_steps - 1);
  std::string start = time_text(first);
  std::string end = time_text(last);
  if (start == end) {
    start += fmt::format(".{:09}", fraction_ns(first));
    end += fmt::format(".{:09}", fraction_ns(last));
  }
  return fmt::format("__{}__{}__{}", start, end, labels_.tag);
}

hdf5::NewFile AsdfFile::lay_out(std::span<const hdf5::NewArray> arrays) const {
  const auto twice = std::ranges::adjacent_find(arrays, {}, &hdf5::NewArray::path);
  if (twice != arrays.end())
    refuse_asdf(fmt::format("two arrays are attached as '{}'", twice->path), "attach each on one rank, once");
  std::vector<Attribute> of_waveform{{"sampling_rate", 1.0 / of_.interval_s}, {"starttime", time_ns(of_, 0)}};
  if (!labels_.event_id.empty()) of_waveform.emplace_back("event_id", labels_.event_id);
  const std::string name_end = waveform_name_end();
  const auto array = [&](std::int64_t i) {
    if (i >= channels()) return arrays[static_cast<std::size_t>(i - channels())];
    const Channel& channel = of_.list[static_cast<std::size_t>(i)];
    const std::string code = code_of(channel.station);
    return hdf5::NewArray{
        fmt::format("Waveforms/{}/{}.{}{}", network_and_station(code), code, channel.component_name, name_end),
        ElementType::f4,
        {of_.final_steps},
        of_waveform};
  };
  return hdf5::new_file({.count = channels() + std::ssize(arrays),
                         .array = array,
                         .groups = {"AuxiliaryData", "Provenance", "Waveforms"},
                         .attributes = {{"file_format", "ASDF"}, {"file_format_version", "1.0.3"}}});
}

void AsdfFile::set_places(std::span<const std::int64_t> begins, std::int64_t file_bytes) {
  begins_.assign(begins.begin(), begins.end());
  end_ = file_bytes;
}

std::vector<std::byte> AsdfFile::beginning(std::int64_t steps) const {
  if (steps == of_.final_steps) {
    const auto text = std::as_bytes(std::span(hdf5::signature));
    return {text.begin(), text.end()};
  }
  std::vector<std::byte> bytes(sizeof steps);
  store(bytes.data(), steps, ByteOrder::little);
  return bytes;
}

std::int64_t AsdfFile::steps_of(std::span<const std::byte> beginning) const {
  if (std::ranges::equal(beginning, std::as_bytes(std::span(hdf5::signature)))) return of_.final_steps;
  const auto steps = load<std::int64_t>(beginning.data(), ByteOrder::little);
  return steps < 0 || steps > of_.final_steps ? -1 : steps;
}

}  // namespace sill::station
