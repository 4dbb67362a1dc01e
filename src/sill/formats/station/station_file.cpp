#include "sill/formats/station/station_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>

#include "sill/base/error.hpp"

namespace sill::station {
namespace {

static_assert(value_form.max_characters() < station::value_bytes);

// Returns the output of printf's "%f" in the C locale. The longest double has 309 digits before the point.
std::string fixed_text(double value) {
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed, 6);
  return {text.data(), end.ptr};
}

}  // namespace

void refuse_station(const Station& station, const std::string& problem) {
  throw Error({.code = ErrorCode::usage, .problem = fmt::format("station {}: {}", station.number, problem)});
}

std::string file_name(std::int64_t number) { return fmt::format("obs{}.dat", number); }

StationFile::StationFile(const Station& station, double interval_s, int components, std::int64_t final_steps,
                         StepCount count)
    : components_(components), final_steps_(final_steps) {
  if (components < 1) refuse_station(station, fmt::format("{} components cannot be recorded", components));
  if (final_steps < 1) refuse_station(station, fmt::format("{} time steps cannot be recorded", final_steps));
  if (!std::isfinite(interval_s)) refuse_station(station, "the interval of time steps is not a number");
  if (!std::all_of(station.position_m.begin(), station.position_m.end(), [](double m) { return std::isfinite(m); })) {
    refuse_station(station, "a coordinate is not a number");
  }
  line_1_ = fmt::format("{} {} {} {}\n", station.number, fixed_text(station.position_m[0]),
                        fixed_text(station.position_m[1]), fixed_text(station.position_m[2]));
  end_of_line_2_ = fmt::format(" {}\n", fixed_text(interval_s));
  count_width_ = count == StepCount::reserved ? fmt::formatted_size("{}", final_steps) : 0;
  const auto max = std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(header(final_steps).size());
  if (final_steps > max / record_bytes()) {
    refuse_station(station, fmt::format("{} time steps are too many for one file", final_steps));
  }
}

std::string StationFile::header(std::int64_t steps) const {
  return fmt::format("{}{:>{}}{}", line_1_, steps, count_width_, end_of_line_2_);
}

ItemList StationFile::records(std::int64_t first_phase_steps) const {
  return {static_cast<std::int64_t>(header(first_phase_steps).size()), record_bytes(), final_steps_};
}

std::int64_t StationFile::contents_bytes() const {
  return static_cast<std::int64_t>(header(final_steps_).size()) + record_bytes();
}

std::optional<ReceiverContents> StationFile::contents_of(std::string_view first_bytes) const {
  if (!first_bytes.starts_with(line_1_)) return std::nullopt;
  const std::size_t begin = first_bytes.find_first_not_of(' ', line_1_.size());
  if (begin == std::string_view::npos) return std::nullopt;
  std::int64_t steps = 0;
  const std::string_view rest = first_bytes.substr(begin);
  if (std::from_chars(rest.data(), rest.data() + rest.size(), steps).ec != std::errc{}) return std::nullopt;
  if (steps < 1 || steps > final_steps_ || !first_bytes.starts_with(header(steps))) return std::nullopt;
  // A header that has grown overlaps the first bytes of the first record, which ends the third line.
  const std::size_t end = first_bytes.find('\n', header(steps).size());
  if (end == std::string_view::npos) return std::nullopt;
  return ReceiverContents{steps, {static_cast<std::int64_t>(end) + 1 - record_bytes(), record_bytes(), final_steps_}};
}

void StationFile::write(const Values& values, ByteRange range, std::span<std::byte> bytes) const {
  char* to = reinterpret_cast<char*>(bytes.data());
  std::int64_t step = range.offset / station::value_bytes / values.components;
  std::int64_t component = range.offset / station::value_bytes % values.components;
  for (std::int64_t at = range.offset; at < range.end();) {
    const std::int64_t skipped = at % station::value_bytes;
    const std::int64_t length = std::min(station::value_bytes - skipped, range.end() - at);
    std::array<char, station::value_bytes>
        cut;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled where it is used
    const std::span<char> text =
        length == station::value_bytes ? std::span(to, station::value_bytes) : std::span<char>(cut);
    (void)write_exponent_text(values.first[step * values.step_stride + component], value_form, text);
    const bool ends_step = ++component == values.components;
    text.back() = values.end_record && ends_step ? '\n' : ' ';
    if (length < station::value_bytes) std::memcpy(to, text.data() + skipped, static_cast<std::size_t>(length));
    if (ends_step) {
      component = 0;
      ++step;
    }
    to += length;
    at += length;
  }
}

}  // namespace sill::station
