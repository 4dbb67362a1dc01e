#include "sill/survey/check/check_findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "sill/base/units.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/detect/header_checks.hpp"

namespace sill {
namespace {

// Number of traces listed in a text; programs receive more.
constexpr std::size_t traces_in_text = 5;
constexpr std::size_t values_in_text = 5;

std::string traces_text(std::int64_t count) {
  return fmt::format("{} trace{}", format_count(count), count == 1 ? "" : "s");
}

std::string has(std::int64_t count, std::string_view one, std::string_view more) {
  return fmt::format("{} {}", traces_text(count), count == 1 ? one : more);
}

// Returns "traces 3, 8, 9 and 12 more".
std::string trace_list(std::int64_t count, std::span<const std::int64_t> first) {
  const auto shown = first.first(std::min(traces_in_text, first.size()));
  std::string text = fmt::format("trace{} {}", count == 1 ? "" : "s", fmt::join(shown, ", "));
  if (count > std::ssize(shown)) text += fmt::format(" and {} more", format_count(count - std::ssize(shown)));
  return text;
}

struct FindingText {
  std::string_view kind;
  Grade grade;
  std::string problem;
  std::string clause;
  std::string action;
  CountedPlace word = {};  // the word that the finding is about
};

Finding finding_of(FindingText text, const TraceCount& traces) {
  Finding finding{.kind = std::string(text.kind), .traces = traces.traces};
  for (const std::int64_t trace : traces.listed()) finding.first_traces.push_back(trace + 1);
  std::string where = trace_list(traces.traces, finding.first_traces);
  if (text.word.exists()) where += fmt::format(", bytes {}-{}", text.word.byte, text.word.last_byte());
  finding.diagnostic = {text.grade, std::move(text.problem), std::move(where), std::move(text.clause),
                        std::move(text.action)};
  return finding;
}

// Returns the clause of the standard that defines a counted word, even if a map has moved the word.
std::string clause_of(CountedWord word) {
  constexpr std::array<int, counted_words> standard_bytes = {29, 69, 71, 89, 115, 117, 215};
  const int byte = standard_bytes[static_cast<std::size_t>(word)];
  return fmt::format("SEG-Y rev 1, trace header bytes {}-{}", byte, byte + 1);
}

class Findings {
 public:
  Findings(const segy::FileDescription& file, const CountedPlaces& places, const TraceTally& tally)
      : file_(file), places_(places), tally_(tally) {}

  std::vector<Finding> all(std::span<const SameWord> same) {
    for (const Diagnostic& diagnostic : file_.diagnostics)
      if (!is_replaced(diagnostic)) add_finding(found_, Finding{"description", diagnostic, 0, {}});
    report_kinds();
    report_against_file(CountedWord::samples, "samples", "samples-differ", static_cast<double>(file_.samples));
    report_against_file(CountedWord::interval, "us between samples", "interval-differs", file_.interval_us);
    report_scalar(CountedWord::elevation_scalar, "elevations and depths", "elevation-scalar");
    report_scalar(CountedWord::coordinate_scalar, "coordinates", "coordinate-scalar");
    report_scalar(CountedWord::time_scalar, "times", "time-scalar");
    report_units();
    report_same(same);
    return std::move(found_);
  }

 private:
  [[nodiscard]] const CountedPlace& place(CountedWord word) const { return places_[static_cast<std::size_t>(word)]; }

  // Returns true if a diagnostic is about words of some trace headers that were now counted in all of them.
  [[nodiscard]] bool is_replaced(const Diagnostic& diagnostic) const {
    if (!diagnostic.where.starts_with("trace") || diagnostic.grade > Grade::minor) return false;
    return std::ranges::any_of(places_, [&](const CountedPlace& place) {
      return place.exists() && diagnostic.where.ends_with(fmt::format(", bytes {}-{}", place.byte, place.last_byte()));
    });
  }

  void add(FindingText text, const TraceCount& traces) {
    if (traces.traces > 0) add_finding(found_, finding_of(std::move(text), traces));
  }

  void report_kinds() {
    const TraceKinds& kinds = tally_.kinds();
    const std::string dead_clause = clause_of(CountedWord::trace_code);
    const CountedPlace& code = place(CountedWord::trace_code);
    add({"not-finite", Grade::major,
         fmt::format("{} samples that are not finite ({} NaN, {} infinite)",
                     has(kinds.not_finite.traces, "has", "have"), format_count(kinds.nans),
                     format_count(kinds.infinities)),
         std::string(segy::clause_of(file_.sample_format)),
         "omitted from the amplitudes; `sill convert --nonfinite zero` replaces them with zeros"},
        kinds.not_finite);
    add({"zero", Grade::minor,
         fmt::format("{} zero in all samples, not marked as dead", has(kinds.zero.traces, "is", "are")), dead_clause,
         "treated as dead; trace identification code 2 would mark them", code},
        kinds.zero);
    add({"zero-marked", Grade::info,
         fmt::format("{} zero in all samples, and marked as dead or dummy", has(kinds.zero_marked.traces, "is", "are")),
         dead_clause, "as it should be", code},
        kinds.zero_marked);
    add({"dead-alive", Grade::minor,
         fmt::format("{} marked as dead, but not zero in all samples", has(kinds.marked_alive.traces, "is", "are")),
         dead_clause, "read like other traces", code},
        kinds.marked_alive);
    add({"auxiliary", Grade::info,
         fmt::format("{} not seismic data: sweeps, time breaks, and similar traces",
                     has(kinds.auxiliary.traces, "is", "are")),
         dead_clause, "omitted from the amplitudes and the geometry", code},
        kinds.auxiliary);
    add({"constant", Grade::minor,
         fmt::format("{} the same non-zero number in all samples", has(kinds.constant.traces, "contains", "contain")),
         "", "read like other traces: a dead channel with an offset?"},
        kinds.constant);
    add({"clipped", Grade::minor,
         fmt::format("{} clipped: at its largest or smallest value, at least four samples have the same value as the "
                     "preceding sample",
                     has(kinds.clipped.traces, "looks", "look")),
         "", "read like other traces"},
        kinds.clipped);
  }

  void report_against_file(CountedWord word, std::string_view quantity, std::string_view kind, double expected) {
    if (!place(word).exists()) return;
    const bool has_header = file_.kind == segy::FileKind::segy;
    TraceCount silent;
    TraceCount other;
    std::vector<std::string> values;
    for (const auto& [value, traces] : tally_.values(word)) {
      const bool is_open = word == CountedWord::samples &&
                           segy::leaves_samples_open(value, file_.samples, 1 + file_.additional_trace_headers);
      if (static_cast<double>(value) == expected || is_open) continue;
      (value == 0 ? silent : other).merge(traces);
      if (value != 0) values.push_back(fmt::format("{}", value));
    }
    const std::string clause = clause_of(word);
    const std::string by = has_header ? "binary header" : "first trace";
    add({kind, Grade::info,
         fmt::format("{} 0 {}, but the {} states {}", has(silent.traces, "states", "state"), quantity, by, expected),
         clause, fmt::format("the {} is used", by), place(word)},
        silent);
    add({kind, Grade::minor,
         fmt::format("{} {} {}, but the {} states {}", has(other.traces, "states", "state"), some_of(values), quantity,
                     by, expected),
         clause, fmt::format("the {} is used", by), place(word)},
        other);
  }

  static std::string some_of(const std::vector<std::string>& values) {
    const auto shown = std::span(values).first(std::min(values_in_text, values.size()));
    std::string text = fmt::format("{}", fmt::join(shown, ", "));
    if (values.size() > shown.size()) text += fmt::format(" and {} more values", values.size() - shown.size());
    return text;
  }

  void report_scalar(CountedWord word, std::string_view scaled, const std::string& kind) {
    if (!place(word).exists()) return;
    const auto& values = tally_.values(word);
    const std::string clause = clause_of(word);
    std::vector<std::string> stated;
    TraceCount unusual = tally_.beyond(word);
    TraceCount more = unusual;
    std::size_t illegal_values = 0;
    const auto usual = std::ranges::max_element(values, {}, [](const auto& entry) { return entry.second.traces; });
    for (const auto& [value, traces] : values) {
      stated.push_back(fmt::format("{} in {}", value, traces_text(traces.traces)));
      if (value != usual->first) unusual.merge(traces);
      if (segy::is_legal_scalar(value)) continue;
      if (++illegal_values > values_in_text) {
        more.merge(traces);
        continue;
      }
      add({kind + "-illegal", Grade::minor,
           fmt::format("the scalar of {} is {} in {}, not one of 1, 10, 100, 1000, 10000 or their negatives", scaled,
                       value, traces_text(traces.traces)),
           clause,
           fmt::format("applied unchanged: values are {} by {}", value > 0 ? "multiplied" : "divided",
                       segy::magnitude_of(value)),
           place(word)},
          traces);
    }
    add({kind + "-illegal", Grade::minor,
         fmt::format("the scalar of {} has further such values in {}", scaled, traces_text(more.traces)), clause,
         "each is applied unchanged", place(word)},
        more);
    add({kind + "-varies", Grade::minor, fmt::format("the scalar of {} varies: {}", scaled, some_of(stated)), clause,
         "the scalar of each trace is applied; programs that apply one trace's scalar to all traces compute wrong "
         "values",
         place(word)},
        unusual);
  }

  void report_units() {
    if (!place(CountedWord::coordinate_units).exists()) return;
    const auto& values = tally_.values(CountedWord::coordinate_units);
    const CountedPlace& word = place(CountedWord::coordinate_units);
    const std::string clause = clause_of(CountedWord::coordinate_units);
    constexpr std::int64_t length = 1;
    constexpr std::int64_t largest_defined = 4;
    std::vector<std::string> stated;
    TraceCount lengths;
    TraceCount angles;
    TraceCount undefined = tally_.beyond(CountedWord::coordinate_units);
    TraceCount silent;
    TraceCount all = undefined;
    for (const auto& [value, traces] : values) {
      stated.push_back(fmt::format("{} in {}", value, traces_text(traces.traces)));
      all.merge(traces);
      (value == 0                             ? silent
       : value == length                      ? lengths
       : value < 0 || value > largest_defined ? undefined
                                              : angles)
          .merge(traces);
    }
    add({"coordinate-units-unknown", Grade::minor,
         fmt::format("{} coordinate units that are undefined: {}", has(undefined.traces, "has", "have"),
                     some_of(stated)),
         clause, "read as lengths", word},
        undefined);
    if (values.size() > 1)
      add({"coordinate-units-vary", Grade::minor, fmt::format("the coordinate units vary: {}", some_of(stated)), clause,
           "the unit of each trace is used", word},
          all);
    if (file_.kind != segy::FileKind::segy) return;
    constexpr const char* both = "SEG-Y rev 1, bytes 3255-3256 and trace header bytes 89-90";
    if (file_.measurement_system == 0)
      add({"units-not-stated", Grade::minor,
           fmt::format("the coordinates of {} are lengths, but the measurement system is 0: neither metres nor feet",
                       traces_text(lengths.traces)),
           both, "treated as lengths of an unknown unit", word},
          lengths);
    add({"coordinates-are-angles", Grade::info,
         fmt::format("the coordinates of {} are angles (2 seconds of arc, 3 degrees, 4 degrees, minutes, seconds); the "
                     "measurement system ({}) applies to other lengths",
                     traces_text(angles.traces), file_.measurement_system),
         both, "distances are not computed from them", word},
        angles);
    add({"coordinate-units-not-stated", Grade::info,
         fmt::format("{} no coordinate units (0); the measurement system is {}", has(silent.traces, "states", "state"),
                     file_.measurement_system),
         both, "treated as lengths", word},
        silent);
  }

  void report_same(std::span<const SameWord> same) {
    if (same.empty()) return;
    std::vector<std::string> with_value;
    for (const SameWord& word : same)
      if (!word.is_zero) with_value.push_back(fmt::format("{}={}", word.name, word.value));
    const std::int64_t zeros = std::ssize(same) - std::ssize(with_value);
    if (zeros > 0) with_value.push_back(fmt::format("{} words are zero", zeros));
    Finding finding{.kind = "same-words"};
    finding.diagnostic = {Grade::info, fmt::format("the same in all traces: {}", fmt::join(with_value, ", ")),
                          "all trace headers", "", "nothing to do"};
    add_finding(found_, std::move(finding));
  }

  const segy::FileDescription& file_;
  const CountedPlaces& places_;
  const TraceTally& tally_;
  std::vector<Finding> found_;
};

}  // namespace

CountedPlaces counted_places(const segy::FileDescription& file, const segy::HeaderMap& words) {
  CountedPlaces places;
  const int header_bytes = segy::trace_header_bytes;
  const auto put = [&](CountedWord word, std::string_view name) {
    const segy::MapWord* const found = words.find(name);
    if (found == nullptr) return;
    // Only numbers that fit into a signed word of eight bytes are counted.
    const bool is_counted = found->type.kind == segy::WordKind::signed_integer ||
                            (found->type.kind == segy::WordKind::unsigned_integer && found->type.bytes < 8);
    if (is_counted && found->byte + found->type.bytes - 1 <= header_bytes)
      places[static_cast<std::size_t>(word)] = {found->byte, found->type};
  };
  put(CountedWord::trace_code, "trid");
  put(CountedWord::elevation_scalar, "scalel");
  put(CountedWord::coordinate_scalar, "scalco");
  put(CountedWord::coordinate_units, "counit");
  // Revision 0 does not define these bytes; Seismic Unix uses them for another word.
  if (file.kind == segy::FileKind::segy && file.revision >= 1) put(CountedWord::time_scalar, "times_scalar");
  constexpr segy::WordType u2{segy::WordKind::unsigned_integer, 2};
  // These words need not state values that they cannot hold.
  if (!file.lengths_vary && file.samples <= segy::max_short_samples)
    places[static_cast<std::size_t>(CountedWord::samples)] = {115, u2};
  if (segy::is_short_interval(file.interval_us)) places[static_cast<std::size_t>(CountedWord::interval)] = {117, u2};
  return places;
}

Diagnostic cut_trace_found(const segy::FileDescription& file, const TraceIndex& index) {
  return {Grade::critical,
          fmt::format(
              "{} bytes remain after the last of {} complete traces: the next trace extends beyond the end of the file",
              index.remainder_bytes, format_count(index.table.traces())),
          fmt::format("byte {}", index.table.end_byte() + 1),
          "SEG-Y rev 1, clause 4: a file ends with a complete trace",
          fmt::format("the first {} traces were checked", format_count(file.traces))};
}

std::vector<SameWord> same_words(const segy::HeaderMap& words, const TraceTally& tally,
                                 std::span<const std::byte> first_headers, const segy::FileDescription& file,
                                 std::int64_t traces) {
  std::vector<SameWord> same;
  if (traces < 2) return same;
  for (const segy::MapWord& word : words.all()) {
    const bool is_former = word.standard != nullptr && word.standard->until != segy::Revision::none;
    const int end = word.byte + word.type.bytes - 1;
    if (is_former || end > std::ssize(first_headers) || !tally.is_same(word.byte, word.type.bytes)) continue;
    const auto bytes =
        first_headers.subspan(static_cast<std::size_t>(word.byte - 1), static_cast<std::size_t>(word.type.bytes));
    const bool is_zero = std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
    same.push_back({word.names.front(), word.byte,
                    segy::read_word(first_headers.data(), word.byte, word.type, file.byte_order).text(), is_zero});
  }
  return same;
}

std::vector<Finding> findings_of(const segy::FileDescription& file, const CountedPlaces& places,
                                 const TraceTally& tally, std::span<const SameWord> same) {
  return Findings(file, places, tally).all(same);
}

std::optional<Finding> duplicates_found(const DuplicateTraces& duplicates) {
  if (duplicates.repeats == 0) return {};
  Finding finding{.kind = "duplicate-traces", .traces = duplicates.repeats};
  std::vector<std::string> pairs;
  for (const TracePair& pair : duplicates.first) {
    finding.first_traces.push_back(pair.repeat + 1);
    if (pairs.size() < traces_in_text) pairs.push_back(fmt::format("{} repeats {}", pair.repeat + 1, pair.first + 1));
  }
  std::string where = fmt::format("trace{} {}", duplicates.repeats == 1 ? "" : "s", fmt::join(pairs, ", "));
  if (duplicates.repeats > std::ssize(pairs))
    where += fmt::format(" and {} more", format_count(duplicates.repeats - std::ssize(pairs)));
  finding.diagnostic = {Grade::major,
                        fmt::format("{} an earlier one: all samples and all header bytes except 1-8 are equal",
                                    has(duplicates.repeats, "repeats", "repeat")),
                        std::move(where), "", "all are read; remove unintended ones with sill cut"};
  return finding;
}

Finding duplicates_not_sought() {
  return {"duplicates-not-sought",
          {Grade::info, "repeated traces were not searched for: the search needs more memory than is available",
           "all traces", "", "run on more ranks, or with more memory"},
          0,
          {}};
}

Finding format_found(Diagnostic diagnostic, const TraceCount& refuting) {
  Finding finding{.kind = "sample-format", .diagnostic = std::move(diagnostic), .traces = refuting.traces};
  for (const std::int64_t trace : refuting.listed()) finding.first_traces.push_back(trace + 1);
  return finding;
}

void add_finding(std::vector<Finding>& findings, std::optional<Finding> finding) {
  if (!finding) return;
  const auto after = std::ranges::find_if(
      findings, [&](const Finding& other) { return other.diagnostic.grade < finding->diagnostic.grade; });
  findings.insert(after, std::move(*finding));
}

}  // namespace sill
