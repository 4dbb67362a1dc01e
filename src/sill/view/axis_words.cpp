#include "sill/view/axis_words.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "sill/base/user_text.hpp"
#include "sill/formats/segy/words/key.hpp"

namespace sill::view {
namespace {

constexpr std::array<std::string_view, 10> known_words{"trace", "fldr",   "tracf", "ep",    "cdp",
                                                       "cdpt",  "offset", "iline", "xline", "trid"};
// Runs of traces with one value of such a word are gathers, or lines.
constexpr std::array<std::string_view, 4> gather_words{"fldr", "cdp", "iline", "ep"};
// Words that may vary within a gather, and along a line or a section.
constexpr std::array<std::string_view, 7> words_within{"offset", "xline", "iline", "tracf", "cdpt", "cdp", "trace"};
constexpr std::array<std::string_view, 7> words_along{"xline", "iline", "cdp", "ep", "fldr", "offset", "trace"};

std::optional<std::size_t> index_of(const Section& section, std::string_view word) {
  const auto found = std::ranges::find(section.words, word);
  if (found == section.words.end()) return std::nullopt;
  return static_cast<std::size_t>(found - section.words.begin());
}

bool changes_at(const Section& section, std::size_t word, std::size_t trace) {
  return section.traces[trace].values[word] != section.traces[trace - 1].values[word];
}

// A word is 0 if it is not used: for example, a word of single traces is 0 in most stacked traces.
bool is_mostly_nonzero(const Section& section, std::size_t word) {
  const auto is_zero = [&](const SectionTrace& trace) { return trace.values[word] == "0"; };
  return 2 * std::ranges::count_if(section.traces, is_zero) <= std::ssize(section.traces);
}

// Returns true if there are at least two runs of equal values and each run has at least two traces, except the first
// and the last, which the view may cut.
bool has_runs(const Section& section, std::size_t word) {
  std::size_t runs = 1;
  std::size_t length = 1;
  for (std::size_t i = 1; i < section.traces.size(); ++i, ++length) {
    if (!changes_at(section, word, i)) continue;
    if (runs > 1 && length < 2) return false;
    ++runs;
    length = 0;
  }
  return runs > 1 && section.traces.size() >= 2 * runs;
}

// Returns true if two words change at the same traces.
bool change_together(const Section& section, std::size_t a, std::size_t b) {
  for (std::size_t i = 1; i < section.traces.size(); ++i)
    if (changes_at(section, a, i) != changes_at(section, b, i)) return false;
  return true;
}

std::optional<std::size_t> gather_word(const Section& section) {
  if (!section.request.traces.gather_word.empty()) {
    const std::optional<std::size_t> word = index_of(section, section.request.traces.gather_word);
    if (word) return word;
  }
  const auto iline = index_of(section, "iline");
  for (const std::string_view name : gather_words) {
    const auto word = index_of(section, name);
    if (!word || !is_mostly_nonzero(section, *word) || !has_runs(section, *word)) continue;
    // In stacked cubes, other words often repeat the inline number.
    return iline && is_mostly_nonzero(section, *iline) && change_together(section, *word, *iline) ? iline : word;
  }
  return std::nullopt;
}

// Returns true if the word differs from the previous trace within most of the gathers.
bool varies(const Section& section, std::size_t word) {
  std::size_t changes = 0;
  std::size_t neighbours = 0;
  for (std::size_t i = 1; i < section.traces.size(); ++i) {
    if (section.traces[i].starts_gather) continue;
    ++neighbours;
    if (changes_at(section, word, i)) ++changes;
  }
  return neighbours > 0 && 2 * changes > neighbours;
}

// Returns true if all traces are of one gather: their offsets change, and they have one CMP, or one shot and different
// channels. Along a stacked line, offsets may change, too.
bool is_one_gather(const Section& section) {
  const auto is_one = [&](std::string_view name) {
    const auto word = index_of(section, name);
    return word && is_mostly_nonzero(section, *word) && std::ranges::all_of(section.traces, [&](const auto& trace) {
             return trace.values[*word] == section.traces.front().values[*word];
           });
  };
  const auto is_varying = [&](std::string_view name) {
    const auto word = index_of(section, name);
    return word && varies(section, *word);
  };
  return is_varying("offset") && (is_one("cdp") || ((is_one("fldr") || is_one("ep")) && is_varying("tracf")));
}

std::size_t varying_word(const Section& section, bool has_gathers) {
  const auto cdp = index_of(section, "cdp");
  const bool is_of_cube = section.gather_word == "iline" || section.request.traces.condition.starts_with("iline ");
  for (const std::string_view name : has_gathers ? std::span(words_within) : std::span(words_along)) {
    const auto word = index_of(section, name);
    if (!word || !varies(section, *word)) continue;
    // Along a line both words may have the same values: the line was then stacked by CMP.
    const bool is_cdp =
        name == "xline" && !is_of_cube && cdp && std::ranges::all_of(section.traces, [&](const SectionTrace& trace) {
          return trace.values[*word] == trace.values[*cdp];
        });
    return is_cdp ? *cdp : *word;
  }
  return *index_of(section, "trace");
}

void bring_to_front(Section& section, const std::vector<std::size_t>& top) {
  std::vector<std::size_t> order = top;
  for (std::size_t i = 0; i < section.words.size(); ++i)
    if (std::ranges::find(top, i) == top.end()) order.push_back(i);
  const auto reorder = [&](auto& values) {
    auto before = values;
    for (std::size_t i = 0; i < order.size(); ++i) values[i] = before[order[i]];
  };
  reorder(section.words);
  reorder(section.units);
  for (SectionTrace& trace : section.traces) {
    reorder(trace.values);
    reorder(trace.numbers);
  }
  section.top_words = top.size();
}

}  // namespace

std::string unit_of(std::string_view expression, const segy::HeaderMap& map, const segy::FileDescription& file) {
  std::string_view name = trimmed(expression);
  const bool is_true = name.starts_with("true(") && name.ends_with(')');
  if (is_true) name = trimmed(name.substr(5, name.size() - 6));
  const segy::MapWord* const word = map.find(name);
  if (word == nullptr || (!is_true && word->scaling.kind != segy::Scaling::Kind::none)) return "";
  if (word->unit == "by bytes 89-90")
    return file.coordinate_unit == 1   ? std::string(length_unit_of(file.measurement_system))
           : file.coordinate_unit == 2 ? "arc seconds"
           : file.coordinate_unit == 3 ? "degrees"
                                       : "";
  if (word->unit.starts_with("by ")) return "";
  const std::size_t either = word->unit.find(" or ");  // metres or feet
  if (either == std::string::npos) return word->unit;
  return file.measurement_system == 1   ? word->unit.substr(0, either)
         : file.measurement_system == 2 ? word->unit.substr(either + 4)
                                        : "";
}

void choose_words(Section& section, const segy::HeaderMap& map) {
  const SectionRequest& request = section.request;
  std::vector<std::string>& names = section.words;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  if (!request.top.empty())
    for (const segy::TraceKey& key : segy::TraceKey::parse_list(request.top, map)) add(key.ascending().text());
  section.top_words = names.size();
  if (!request.traces.gather_word.empty()) add(request.traces.gather_word);
  if (!request.location.empty()) add(request.location);
  for (const std::string_view name : known_words)
    if (name == "trace" || map.find(name) != nullptr) add(std::string(name));
  for (const std::string& name : names) section.units.push_back(unit_of(name, map, section.about));
}

void choose_axis(Section& section) {
  const SectionRequest& request = section.request;
  const std::optional<std::size_t> gather = gather_word(section);
  bool has_gathers = !request.traces.gather_word.empty();
  if (gather) {
    for (std::size_t i = 1; i < section.traces.size(); ++i) {
      section.traces[i].starts_gather = changes_at(section, *gather, i);
      has_gathers = has_gathers || section.traces[i].starts_gather;
    }
    section.gather_word = section.words[*gather];
  }
  std::vector<std::size_t> top;
  if (!request.top.empty()) {
    while (top.size() < section.top_words) top.push_back(top.size());
  } else {
    if (gather && has_gathers) top.push_back(*gather);
    const std::size_t varying = varying_word(section, has_gathers || is_one_gather(section));
    if (top.empty() || top.front() != varying) top.push_back(varying);
  }
  bring_to_front(section, top);
}

}  // namespace sill::view
