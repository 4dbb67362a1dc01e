#include "sill/formats/segy/detect/float_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace sill::segy {
namespace {

enum class Holds : std::uint8_t { number, offset, elevation, coordinate };

struct FloatCandidate {
  int byte;
  std::string_view name;
  Holds holds;
};

constexpr std::array float_candidates{
    FloatCandidate{9, "fldr", Holds::number},       FloatCandidate{17, "ep", Holds::number},
    FloatCandidate{21, "cdp", Holds::number},       FloatCandidate{37, "offset", Holds::offset},
    FloatCandidate{41, "gelev", Holds::elevation},  FloatCandidate{45, "selev", Holds::elevation},
    FloatCandidate{49, "sdepth", Holds::elevation}, FloatCandidate{61, "swdep", Holds::elevation},
    FloatCandidate{65, "gwdep", Holds::elevation},  FloatCandidate{73, "sx", Holds::coordinate},
    FloatCandidate{77, "sy", Holds::coordinate},    FloatCandidate{81, "gx", Holds::coordinate},
    FloatCandidate{85, "gy", Holds::coordinate},    FloatCandidate{181, "cdpx", Holds::coordinate},
    FloatCandidate{185, "cdpy", Holds::coordinate}, FloatCandidate{189, "iline", Holds::number},
    FloatCandidate{193, "xline", Holds::number},    FloatCandidate{197, "sp", Holds::number}};
constexpr int first_word_of_revision_1 = 181;

constexpr double longest_offset = 1e6;
constexpr double highest_elevation = 1e5;
constexpr double farthest_coordinate = 3.5e7;  // about a quarter of the circumference of the Earth in feet
constexpr double largest_number = 1e8;
constexpr double smallest = 1e-3;

double scaled_by(double value, std::int16_t scalar) {
  if (scalar == 0) return value;
  return scalar > 0 ? value * scalar : value / -static_cast<double>(scalar);
}

bool is_plausible_float(double value, Holds holds) {
  const double size = std::abs(value);
  if (!std::isfinite(value) || size < smallest) return false;
  switch (holds) {
    case Holds::number: return size <= largest_number && value == std::rint(value);
    case Holds::offset: return size <= longest_offset;
    case Holds::elevation: return size <= highest_elevation;
    case Holds::coordinate: break;
  }
  return size <= farthest_coordinate;
}

bool is_plausible_integer(std::int32_t value, Holds holds, std::int16_t scalar) {
  const double size = std::abs(scaled_by(value, scalar));
  switch (holds) {
    case Holds::number: {
      constexpr double of_float_bits = 1 << 24;
      return std::abs(static_cast<double>(value)) < of_float_bits || (static_cast<std::uint32_t>(value) & 0xFFU) != 0;
    }
    case Holds::offset: return size <= 100 * longest_offset;
    case Holds::elevation: return size <= 10 * highest_elevation;
    case Holds::coordinate: break;
  }
  return size <= farthest_coordinate;
}

std::optional<FloatWord> found_at(const FloatCandidate& candidate, std::span<const SampledTraceHeader> traces,
                                  const FileDescription& file) {
  bool ieee = true;
  bool ibm = true;
  FloatWord found{.byte = candidate.byte, .name = std::string(candidate.name)};
  std::size_t used = 0;
  for (const SampledTraceHeader& trace : traces) {
    const std::byte* const at = trace.bytes.data() + candidate.byte - 1;
    const auto value = load<std::int32_t>(at, file.byte_order);
    if (value == 0) continue;
    const int scalar_byte = candidate.holds == Holds::coordinate ? 71 : candidate.holds == Holds::elevation ? 69 : 0;
    const auto scalar =
        scalar_byte == 0 ? std::int16_t{0} : load<std::int16_t>(trace.bytes.data() + scalar_byte - 1, file.byte_order);
    if (is_plausible_integer(value, candidate.holds, scalar)) return {};
    const auto as = [&](WordKind kind) {
      return read_word(trace.bytes.data(), candidate.byte, {kind, 4}, file.byte_order).as_double();
    };
    ieee = ieee && is_plausible_float(as(WordKind::ieee), candidate.holds);
    ibm = ibm && is_plausible_float(as(WordKind::ibm), candidate.holds);
    if (!ieee && !ibm) return {};
    if (used++ == 0)
      found = {found.byte, found.name, false, false, value, as(WordKind::ieee), as(WordKind::ibm), trace.trace};
  }
  if (used == 0 || (used == 1 && traces.size() > 1)) return {};
  found.may_be_either = ieee && ibm;
  // Programs that write IBM floats as samples also write them into headers.
  found.is_ibm = ibm && (!ieee || file.sample_format == SampleFormat::ibm_float);
  return found;
}

}  // namespace

std::vector<FloatWord> find_float_words(std::span<const SampledTraceHeader> traces,
                                        const FileDescription& description) {
  std::vector<FloatWord> found;
  const int end = description.kind == FileKind::segy ? trace_header_bytes : first_word_of_revision_1;
  for (const FloatCandidate& candidate : float_candidates) {
    if (candidate.byte >= end) continue;
    if (const auto word = found_at(candidate, traces, description)) found.push_back(*word);
  }
  return found;
}

void report_float_words(FileDescription& file, const HeaderMap* words) {
  std::vector<std::string> texts;
  std::vector<std::string> entries;
  for (const FloatWord& each : file.float_words) {
    const bool is_mapped = words != nullptr && std::ranges::any_of(words->all(), [&](const MapWord& word) {
                             return word.byte <= each.byte + 3 && word.byte + word.type.bytes > each.byte &&
                                    (is_float(word.type) || word.byte != each.byte);
                           });
    if (is_mapped) continue;
    const double value = each.is_ibm ? each.as_ibm : each.as_ieee;
    texts.push_back(fmt::format("{} (bytes {}-{}) would be {} as an integer, but is {:g} as {} float{}", each.name,
                                each.byte, each.byte + 3, each.as_integer, value, each.is_ibm ? "an IBM" : "an IEEE",
                                each.may_be_either
                                    ? fmt::format(" ({:g} as {} one)", each.is_ibm ? each.as_ieee : each.as_ibm,
                                                  each.is_ibm ? "an IEEE" : "an IBM")
                                    : ""));
    entries.push_back(fmt::format("words.{} = {{ byte = {}, type = \"{}\", scalar = 1 }}", each.name, each.byte,
                                  each.is_ibm ? "ibm4" : "f4"));
  }
  if (texts.empty()) return;
  file.diagnostics.push_back(
      {.grade = Grade::major,
       .problem = fmt::format("words of trace headers contain floats: in trace {}, {}", file.float_words.front().trace,
                              fmt::join(texts, "; ")),
       .where =
           fmt::format("trace headers, bytes {}-{}", file.float_words.front().byte, file.float_words.front().byte + 3),
       .clause = "SEG-Y rev 1, trace header",
       .action = fmt::format("read as integers; --map MAP.toml reads them as floats, with these lines in the file: {}",
                             fmt::join(entries, "; "))});
}

}  // namespace sill::segy
