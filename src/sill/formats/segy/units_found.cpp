// Domain and units by words, with what the text header says told beside them.
#include "sill/formats/segy/units_found.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "sill/formats/segy/text_header.hpp"

namespace sill::segy {
namespace {

/// A phrase of a text header and the line that has it.
struct Hint {
  std::string phrase;
  std::size_t line = 0;  // from 1
};

// The lines in capitals, with what is neither letter nor digit as one blank.
std::array<std::string, text_header_lines> plain_lines(std::span<const std::byte> text, TextEncoding encoding) {
  std::array<std::string, text_header_lines> lines;
  if (text.size() < text_header_bytes || encoding == TextEncoding::unknown) return lines;
  const auto decoded = decode_text_header(text.first<text_header_bytes>(), encoding);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i] = " ";
    for (const char c : decoded[i]) {
      const auto letter = static_cast<unsigned char>(c);
      if (std::isalnum(letter) != 0)
        lines[i] += static_cast<char>(std::toupper(letter));
      else if (lines[i].back() != ' ')
        lines[i] += ' ';
    }
    lines[i] += ' ';
  }
  return lines;
}

std::optional<Hint> hint_of(const std::array<std::string, text_header_lines>& lines,
                            std::initializer_list<std::string_view> phrases) {
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (const std::string_view phrase : phrases)
      if (lines[i].find(fmt::format(" {} ", phrase)) != std::string::npos) return Hint{std::string(phrase), i + 1};
  return std::nullopt;
}

std::string said(const Hint& hint) { return fmt::format("line {} of the text header says {}", hint.line, hint.phrase); }

template <class T>
std::set<int> values_at(std::span<const SampledTraceHeader> traces, int byte, ByteOrder order) {
  std::set<int> values;
  for (const SampledTraceHeader& trace : traces) values.insert(load<T>(trace.bytes.data() + byte - 1, order));
  return values;
}

std::string_view meaning_of_unit(int unit) {
  constexpr std::array<std::string_view, 5> meanings = {"not told", "lengths", "seconds of arc", "decimal degrees",
                                                        "degrees, minutes, seconds"};
  return unit >= 0 && unit < 5 ? meanings[static_cast<std::size_t>(unit)] : "unknown";
}

// The largest coordinate that the looked-at headers hold, scaled.
double largest_coordinate(std::span<const SampledTraceHeader> traces, ByteOrder order) {
  double largest = 0.0;
  for (const SampledTraceHeader& trace : traces) {
    const int scalar = load<std::int16_t>(trace.bytes.data() + 70, order);
    const double factor = scalar == 0 ? 1.0 : scalar > 0 ? scalar : -1.0 / scalar;
    for (const int byte : {73, 77, 81, 85})
      largest = std::max(
          largest, factor * std::abs(static_cast<double>(load<std::int32_t>(trace.bytes.data() + byte - 1, order))));
  }
  return largest;
}

void find_domain(const std::array<std::string, text_header_lines>& lines, std::span<const SampledTraceHeader> traces,
                 FileDescription& file) {
  Evidence found{"domain", "time", "nothing says otherwise: bytes 3217-3218 and 117-118 are microseconds", {}};
  if (file.kind == FileKind::seismic_unix) {
    found.by = "nothing says otherwise: bytes 117-118 are microseconds";
    constexpr int depth_traces = 130;  // TRID_DEPTH of Seismic Unix
    if (values_at<std::int16_t>(traces, 29, file.byte_order) == std::set<int>{depth_traces}) {
      file.domain = Domain::depth;
      found.decided = "depth";
      found.by = "bytes 29-30 of the trace headers hold 130";
    }
  }
  const auto depth =
      hint_of(lines, {"DEPTH DOMAIN", "DOMAIN DEPTH", "DEPTH MIGRATION", "DEPTH MIGRATED", "PSDM", "PRESDM",
                      "DEPTH STEP", "DEPTH SAMPLE", "DEPTH INTERVAL", "SAMPLE INTERVAL M", "IN DEPTH"});
  if (depth) {
    found.runner_up = "depth: " + said(*depth);
    file.diagnostics.push_back({.grade = Grade::info,
                                .problem = fmt::format("the samples may lie along depth: {}", said(*depth)),
                                .where = "bytes 1-3200",
                                .clause = "SEG-Y rev 1, bytes 3217-3218",
                                .action = "no word says so: the interval is read as microseconds"});
  }
  file.evidence.push_back(std::move(found));
}

void find_unit_of_length(const std::array<std::string, text_header_lines>& lines, FileDescription& file) {
  const int told = file.measurement_system;
  const auto feet = hint_of(lines, {"FEET", "FOOT", "FT"});
  const auto metres = hint_of(lines, {"METERS", "METRES", "METER", "METRE"});
  Evidence found{"unit of length",
                 told == 1   ? "metres"
                 : told == 2 ? "feet"
                             : "unknown",
                 fmt::format("bytes 3255-3256 hold {}", told),
                 {}};
  const auto& other = told == 1        ? feet
                      : told == 2      ? metres
                      : feet && metres ? std::optional<Hint>()
                      : feet           ? feet
                                       : metres;
  const auto& same = told == 1 ? metres : feet;
  if (other && (told < 1 || told > 2)) {
    found.runner_up = said(*other);
  } else if (other && !same) {
    found.runner_up = said(*other);
    file.diagnostics.push_back({.grade = Grade::info,
                                .problem = fmt::format("lengths are in {}, but {}", found.decided, said(*other)),
                                .where = "bytes 3255-3256",
                                .clause = "SEG-Y rev 1, bytes 3255-3256",
                                .action = "the binary header counts"});
  }
  file.evidence.push_back(std::move(found));
}

void find_unit_of_coordinates(std::span<const SampledTraceHeader> traces, FileDescription& file) {
  if (traces.empty()) return;
  const auto report = [&](std::string problem, std::string action) {
    file.diagnostics.push_back({.grade = Grade::minor,
                                .problem = std::move(problem),
                                .where = "trace header bytes 89-90",
                                .clause = "SEG-Y rev 1, trace header bytes 89-90",
                                .action = std::move(action)});
  };
  const std::set<int> units = values_at<std::int16_t>(traces, 89, file.byte_order);
  Evidence found{"unit of coordinates", "not told", "", {}};
  if (units.size() > 1) {
    found.by = "bytes 89-90 hold several values in the trace headers looked at";
    report("the unit of coordinates differs between trace headers", "each trace's own unit counts");
  } else {
    file.coordinate_unit = *units.begin();
    found.decided = meaning_of_unit(file.coordinate_unit);
    found.by = fmt::format("bytes 89-90 of the trace headers hold {}", file.coordinate_unit);
  }
  for (const int unit : units)
    if (unit < 0 || unit > 4)
      report(fmt::format("the unit of coordinates is {}, which is none of 1 (length), 2 (seconds of arc), 3 (decimal "
                         "degrees), 4 (degrees, minutes, seconds)",
                         unit),
             "taken as lengths where distances are computed");
  // A whole turn, in the unit; degrees, minutes and seconds are packed as DDDMMSS.ss.
  const double turn = file.coordinate_unit == 2 ? 1'296'000.0 : file.coordinate_unit == 3 ? 360.0 : 3'600'000.0;
  const double largest = largest_coordinate(traces, file.byte_order);
  if (file.coordinate_unit >= 2 && file.coordinate_unit <= 4 && largest > turn) {
    found.runner_up = fmt::format("lengths: there is a coordinate of {}, more than a whole turn", largest);
    report(fmt::format("coordinates are said to be {}, but there is one of {}", found.decided, largest),
           "the word counts: distances are refused for angles");
  }
  file.evidence.push_back(std::move(found));
}

}  // namespace

void find_units(std::span<const std::byte> text, std::span<const SampledTraceHeader> traces, FileDescription& file) {
  const auto lines = plain_lines(text, file.text_encoding);
  find_domain(lines, traces, file);
  if (file.kind == FileKind::segy) find_unit_of_length(lines, file);
  find_unit_of_coordinates(traces, file);
}

}  // namespace sill::segy
