// Determines the domain and units from header words, and compares them with the text header.
#include "sill/formats/segy/detect/detected_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "sill/formats/segy/detect/byte_labels.hpp"
#include "sill/formats/segy/text/text_header.hpp"

namespace sill::segy {
namespace {

/// A phrase in a text header and the line that contains it.
struct Hint {
  std::string phrase;
  std::size_t line = 0;  // from 1
};

std::optional<Hint> hint_of(const std::array<std::string, text_header_lines>& lines,
                            std::initializer_list<std::string_view> phrases) {
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (const std::string_view phrase : phrases)
      if (lines[i].find(fmt::format(" {} ", phrase)) != std::string::npos) return Hint{std::string(phrase), i + 1};
  return std::nullopt;
}

std::string said(const Hint& hint) {
  return fmt::format("line {} of the text header states {}", hint.line, hint.phrase);
}

template <class T>
std::set<int> values_at(std::span<const SampledTraceHeader> traces, int byte, ByteOrder order) {
  std::set<int> values;
  for (const SampledTraceHeader& trace : traces) values.insert(load<T>(trace.bytes.data() + byte - 1, order));
  return values;
}

std::string_view meaning_of_unit(int unit) {
  constexpr std::array<std::string_view, 5> meanings = {"not stated", "lengths", "seconds of arc", "decimal degrees",
                                                        "degrees, minutes, seconds"};
  return unit >= 0 && unit < 5 ? meanings[static_cast<std::size_t>(unit)] : "unknown";
}

/// A scaled coordinate and its position.
struct Coordinate {
  double value = 0.0;
  int byte = 0;  // from 1
};

// Returns the largest magnitude of a coordinate in the sampled headers.
Coordinate largest_coordinate(std::span<const SampledTraceHeader> traces, std::span<const int> bytes, ByteOrder order) {
  Coordinate largest;
  for (const SampledTraceHeader& trace : traces) {
    const int scalar = load<std::int16_t>(trace.bytes.data() + 70, order);
    const double factor = scalar == 0 ? 1.0 : scalar > 0 ? scalar : -1.0 / scalar;
    for (const int byte : bytes) {
      const double value =
          factor * std::abs(static_cast<double>(load<std::int32_t>(trace.bytes.data() + byte - 1, order)));
      if (value > largest.value) largest = {value, byte};
    }
  }
  return largest;
}

// Returns the bytes of coordinates. Ensemble coordinates are included only if the revision defines them and the text
// header assigns no other content to their bytes.
std::vector<int> coordinate_bytes(std::span<const ByteLabel> labels, const FileDescription& file) {
  std::vector<int> bytes{73, 77, 81, 85};
  if (file.kind != FileKind::segy || file.revision < 1) return bytes;
  for (const int byte : {181, 185}) {
    const bool is_other = std::ranges::any_of(labels, [&](const ByteLabel& label) {
      return label.is_about(byte, byte + 3) && label.meaning != LabelMeaning::coordinate;
    });
    if (!is_other) bytes.push_back(byte);
  }
  return bytes;
}

void find_domain(const std::array<std::string, text_header_lines>& lines, std::span<const SampledTraceHeader> traces,
                 const Assumptions& assume, FileDescription& file) {
  Evidence found{"domain", "time", "no contrary evidence: bytes 3217-3218 and 117-118 are microseconds", {}};
  if (assume.domain) {
    file.domain = *assume.domain;
    file.evidence.push_back({"domain", std::string(name_of(file.domain)), "assumed", {}});
    return;
  }
  if (file.kind == FileKind::seismic_unix) {
    found.by = "no contrary evidence: bytes 117-118 are microseconds";
    constexpr int depth_traces = 130;  // TRID_DEPTH of Seismic Unix
    if (values_at<std::int16_t>(traces, 29, file.byte_order) == std::set<int>{depth_traces}) {
      file.domain = Domain::depth;
      found.decided = "depth";
      found.by = "bytes 29-30 of the trace headers contain 130";
    }
  }
  const auto depth =
      hint_of(lines, {"DEPTH DOMAIN", "DOMAIN DEPTH", "DEPTH MIGRATION", "DEPTH MIGRATED", "PSDM", "PRESDM",
                      "DEPTH STEP", "DEPTH SAMPLE", "DEPTH INTERVAL", "SAMPLE INTERVAL M", "IN DEPTH"});
  const auto time = hint_of(lines, {"TIME DOMAIN", "DOMAIN TIME", "TO TIME", "IN TIME"});
  if (depth && !time) {
    file.depth_hint = said(*depth);
    found.runner_up = "depth: " + file.depth_hint;
    file.diagnostics.push_back({.grade = Grade::info,
                                .problem = fmt::format("the samples may be in depth: {}", file.depth_hint),
                                .where = "bytes 1-3200",
                                .clause = "SEG-Y rev 1, bytes 3217-3218",
                                .action = "no header word states this: the interval is read as microseconds; state the "
                                          "domain with --assume domain=time or domain=depth"});
  }
  file.evidence.push_back(std::move(found));
}

// Returns the interval that a line states, in microseconds: a phrase, a number and a unit, such as "SAMPLE INTERVAL: 4
// MS".
std::optional<double> stated_interval_us(std::string line) {
  std::ranges::transform(line, line.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (const std::string_view phrase :
       {"SAMPLE INTERVAL", "SAMPLING INTERVAL", "SAMPLE RATE", "SAMPLING RATE", "SAMPLE PERIOD", "SAMPLING PERIOD"}) {
    const std::size_t found = line.find(phrase);
    if (found == std::string::npos) continue;
    const std::size_t digit = line.find_first_not_of(" .:=-", found + phrase.size());
    if (digit == std::string::npos || std::isdigit(static_cast<unsigned char>(line[digit])) == 0) continue;
    double value = 0.0;
    const auto read = std::from_chars(line.data() + digit, line.data() + line.size(), value);
    std::string_view unit(read.ptr, static_cast<std::size_t>(line.data() + line.size() - read.ptr));
    unit.remove_prefix(std::min(unit.find_first_not_of(" .("), unit.size()));
    unit = unit.substr(0, unit.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
    if (read.ec != std::errc() || !(value > 0.0)) continue;
    if (unit == "MS" || unit == "MSEC" || unit == "MILLISECONDS") return value * 1e3;
    if (unit == "US" || unit == "USEC" || unit == "MICROSECONDS") return value;
    if (unit == "NS" || unit == "NSEC" || unit == "NANOSECONDS") return value * 1e-3;
    if (unit == "HZ" || unit == "HERTZ") return 1e6 / value;
  }
  return std::nullopt;
}

// A text header may state the interval of the field data, so only differences in units are certain errors.
void check_interval(std::span<const std::byte> text, FileDescription& file) {
  constexpr double other_unit = 50.0;
  if (text.size() < text_header_bytes || file.text_encoding == TextEncoding::unknown || file.interval_us == 0.0) return;
  const auto lines = decode_text_header(text.first<text_header_bytes>(), file.text_encoding);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::optional<double> stated_us = stated_interval_us(lines[i]);
    if (!stated_us) continue;
    const double ratio = *stated_us / file.interval_us;
    if (ratio < other_unit && ratio > 1.0 / other_unit) return;
    file.diagnostics.push_back(
        {.grade = Grade::major,
         .problem = fmt::format("line {} of the text header states {} us between samples, the headers {} us", i + 1,
                                *stated_us, file.interval_us),
         .where = "bytes 3217-3218",
         .clause = "SEG-Y rev 1, bytes 3217-3218: microseconds",
         .action = fmt::format(
             "read as {} us; --assume interval={} uses the interval of the text, and 'sill repair' writes it",
             file.interval_us, *stated_us)});
    return;
  }
}

void find_unit_of_length(const std::array<std::string, text_header_lines>& lines, FileDescription& file) {
  const int stated = file.measurement_system;
  const auto feet = hint_of(lines, {"FEET", "FOOT", "FT"});
  const auto metres = hint_of(lines, {"METERS", "METRES", "METER", "METRE"});
  Evidence found{"unit of length",
                 stated == 1   ? "metres"
                 : stated == 2 ? "feet"
                               : "unknown",
                 fmt::format("bytes 3255-3256 contain {}", stated),
                 {}};
  const auto& other = stated == 1      ? feet
                      : stated == 2    ? metres
                      : feet && metres ? std::optional<Hint>()
                      : feet           ? feet
                                       : metres;
  const auto& same = stated == 1 ? metres : feet;
  if (other && (stated < 1 || stated > 2)) {
    found.runner_up = said(*other);
  } else if (other && !same) {
    found.runner_up = said(*other);
    file.diagnostics.push_back({.grade = Grade::info,
                                .problem = fmt::format("lengths are in {}, but {}", found.decided, said(*other)),
                                .where = "bytes 3255-3256",
                                .clause = "SEG-Y rev 1, bytes 3255-3256",
                                .action = "the value of the binary header is used"});
  }
  file.evidence.push_back(std::move(found));
}

void find_unit_of_coordinates(std::span<const ByteLabel> labels, std::span<const SampledTraceHeader> traces,
                              FileDescription& file) {
  if (traces.empty()) return;
  const auto report = [&](std::string problem, std::string action) {
    file.diagnostics.push_back({.grade = Grade::minor,
                                .problem = std::move(problem),
                                .where = "trace header bytes 89-90",
                                .clause = "SEG-Y rev 1, trace header bytes 89-90",
                                .action = std::move(action)});
  };
  const std::set<int> units = values_at<std::int16_t>(traces, 89, file.byte_order);
  Evidence found{"unit of coordinates", "not stated", "", {}};
  if (units.size() > 1) {
    found.by = "bytes 89-90 have several values in the examined trace headers";
    report("the unit of coordinates differs between trace headers", "the unit of each trace is used");
  } else {
    file.coordinate_unit = *units.begin();
    found.decided = meaning_of_unit(file.coordinate_unit);
    found.by = fmt::format("bytes 89-90 of the trace headers contain {}", file.coordinate_unit);
  }
  for (const int unit : units)
    if (unit < 0 || unit > 4)
      report(fmt::format("the unit of coordinates is {}, not one of 1 (length), 2 (seconds of arc), 3 (decimal "
                         "degrees), 4 (degrees, minutes, seconds)",
                         unit),
             "treated as lengths where distances are computed");
  const std::vector<int> bytes = coordinate_bytes(labels, file);
  const Coordinate largest = largest_coordinate(traces, bytes, file.byte_order);
  if (largest.value > whole_turn(file.coordinate_unit)) {
    found.runner_up = fmt::format("lengths: there is a coordinate of {}, more than 360 degrees", largest.value);
    report(fmt::format("coordinates should be {}, but one coordinate is {} at bytes {}-{}", found.decided,
                       largest.value, largest.byte, largest.byte + 3),
           "the word is used: distances of angles are refused");
  }
  file.evidence.push_back(std::move(found));
}

}  // namespace

double whole_turn(int coordinate_unit) {
  switch (coordinate_unit) {
    case 2: return 1'296'000.0;
    case 3: return 360.0;
    case 4: return 3'600'000.0;  // 360 degrees packed as DDDMMSS.ss
    default: return std::numeric_limits<double>::infinity();
  }
}

void find_units(std::span<const std::byte> text, std::span<const ByteLabel> labels,
                std::span<const SampledTraceHeader> traces, const Assumptions& assume, FileDescription& file) {
  const auto lines = plain_lines(text, file.text_encoding);
  find_domain(lines, traces, assume, file);
  if (file.kind == FileKind::segy) find_unit_of_length(lines, file);
  if (file.kind == FileKind::segy && file.domain == Domain::time) check_interval(text, file);
  find_unit_of_coordinates(labels, traces, file);
}

}  // namespace sill::segy
