#include "sill/formats/segy/detect/byte_labels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include "sill/base/ascii.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::segy {
namespace {

/// Bytes that a line names, and the words that name them: from `first_word` up to `end_word`.
struct NamedBytes {
  int first_byte = 1;
  int last_byte = 1;
  std::size_t first_word = 0;
  std::size_t end_word = 0;
};

const std::set<std::string_view>& words_about_bytes() {
  static const std::set<std::string_view> words{"BYTE", "BYTES", "LOC", "LOCATION", "LOCATIONS"};
  return words;
}

// Returns true for words that do not describe the content of bytes.
bool says_nothing(std::string_view word) {
  static const std::set<std::string_view> fillers{
      "TRACE", "HEADER", "HEADERS", "HDR",    "IN",   "AT",    "IS",  "ARE", "THE",  "OF",  "TO", "AND",
      "BIT",   "INT",    "INTEGER", "STORED", "WORD", "WORDS", "SEE", "FOR", "FROM", "REV", "I4"};
  return words_about_bytes().contains(word) || fillers.contains(word) || std::ranges::all_of(word, is_digit);
}

std::vector<std::string> words_of_line(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) break;
    at = std::min(line.find(' ', begin), line.size());
    std::string_view word = line.substr(begin, at - begin);
    // Splits BYTE181 and BYTES181.
    for (const std::string_view prefix : {"BYTES", "BYTE"}) {
      if (!word.starts_with(prefix) || word.size() == prefix.size() || !is_digit(word[prefix.size()])) continue;
      words.emplace_back(prefix);
      word.remove_prefix(prefix.size());
      break;
    }
    words.emplace_back(word);
  }
  // Joins IN-LINE, X-LINE and CROSS-LINE, which are two words at this point.
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] != "LINE" || (words[i - 1] != "IN" && words[i - 1] != "X" && words[i - 1] != "CROSS")) continue;
    words[i - 1] += words[i];
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
  }
  // Removes the number of the line: C12, or C 2.
  if (!words.empty() && words[0] == "C" && words.size() > 1) words.erase(words.begin(), words.begin() + 2);
  if (!words.empty() && words[0].size() > 1 && words[0][0] == 'C' && says_nothing(words[0].substr(1)))
    words.erase(words.begin());
  return words;
}

std::optional<int> number_of(const std::vector<std::string>& words, std::size_t at) {
  if (at >= words.size()) return std::nullopt;
  const std::string& word = words[at];
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

// Returns true if single numbers are bytes although no word states it: "CDP X 181 CDP Y 185" names two consecutive
// 4-byte words at positions of the standard, and contains no other numbers.
bool names_places(const std::vector<std::string>& words) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (const std::optional<int> number = number_of(words, i)) numbers.push_back(*number);
  if (numbers.size() < 2) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool is_place = numbers[i] >= 1 && numbers[i] + 3 <= trace_header_bytes && numbers[i] % 4 == 1;
    if (!is_place || (i > 0 && numbers[i] != numbers[i - 1] + 4)) return false;
  }
  return true;
}

std::vector<NamedBytes> bytes_in(const std::vector<std::string>& words) {
  const bool about_bytes = names_places(words) || std::ranges::any_of(words, [](const std::string& word) {
                             return words_about_bytes().contains(word);
                           });
  std::vector<NamedBytes> all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::optional<int> first = number_of(words, i);
    if (!first || *first < 1 || *first > trace_header_bytes || *first % 2 == 0) continue;
    const std::size_t second_at = i + 1 < words.size() && words[i + 1] == "TO" ? i + 2 : i + 1;
    const std::optional<int> second = number_of(words, second_at);
    const int length = second ? *second - *first + 1 : 0;
    const bool is_range = (length == 4 || length == 8 || (length == 2 && about_bytes)) && *second <= trace_header_bytes;
    if (is_range) {
      all.push_back({*first, *second, i, second_at + 1});
      i = second_at;
    } else if (about_bytes) {
      all.push_back({*first, *first, i, i + 1});
    }
  }
  return all;
}

std::vector<std::string_view> informative_words(const std::vector<std::string>& words, std::size_t begin,
                                                std::size_t end) {
  std::vector<std::string_view> left;
  for (std::size_t i = begin; i < end; ++i)
    if (!says_nothing(words[i])) left.push_back(words[i]);
  return left;
}

LabelMeaning meaning_of(std::string label) {
  const auto has = [&](std::string_view phrase) {
    return fmt::format(" {} ", label).find(fmt::format(" {} ", phrase)) != std::string::npos;
  };
  constexpr std::array crosslines{"XLINE", "XL", "CROSSLINE", "XLINES", "CROSSLINES"};
  constexpr std::array inlines{"INLINE", "ILINE", "IL", "INLINES", "ILINES"};
  if (std::ranges::any_of(crosslines, has)) return LabelMeaning::crossline_number;
  if (std::ranges::any_of(inlines, has)) return LabelMeaning::inline_number;
  constexpr std::array coordinates{"X",    "Y",    "CDPX",  "CDPY", "CMPX",     "CMPY",      "BINX",     "BINY",
                                   "ENSX", "ENSY", "LAT",   "LON",  "LATITUDE", "LONGITUDE", "LONG",     "XY",
                                   "UTM",  "EAST", "NORTH", "UTMX", "UTMY",     "POSITION",  "POSITIONS"};
  if (std::ranges::any_of(coordinates, has)) return LabelMeaning::coordinate;
  for (const std::string_view part : {"COORD", "EASTING", "NORTHING"})
    if (label.find(part) != std::string::npos) return LabelMeaning::coordinate;
  return LabelMeaning::other;
}

// The words of a label.
class LabelWords {
 public:
  explicit LabelWords(std::string_view label) : label_(fmt::format(" {} ", label)) {}

  [[nodiscard]] bool has_any(std::initializer_list<std::string_view> phrases) const {
    return std::ranges::any_of(phrases, [&](std::string_view phrase) {
      return label_.find(fmt::format(" {} ", phrase)) != std::string::npos;
    });
  }

 private:
  std::string label_;
};

}  // namespace

std::string_view word_named_by(const ByteLabel& label) {
  const LabelWords words(label.label);
  if (label.meaning == LabelMeaning::inline_number) return "iline";
  if (label.meaning == LabelMeaning::crossline_number) return "xline";
  if (label.meaning == LabelMeaning::coordinate) {
    const bool x = words.has_any(
        {"X", "CDPX", "CMPX", "BINX", "ENSX", "UTMX", "EAST", "EASTING", "EASTINGS", "LON", "LONG", "LONGITUDE"});
    const bool y = words.has_any(
        {"Y", "CDPY", "CMPY", "BINY", "ENSY", "UTMY", "NORTH", "NORTHING", "NORTHINGS", "LAT", "LATITUDE"});
    if (x == y) return {};
    if (words.has_any({"SOURCE", "SHOT", "SRC", "SOU"})) return x ? "sx" : "sy";
    if (words.has_any({"RECEIVER", "GROUP", "REC", "RCV", "GEOPHONE"})) return x ? "gx" : "gy";
    return x ? "cdpx" : "cdpy";
  }
  if (words.has_any({"OFFSET"})) return "offset";
  if (words.has_any({"FFID", "FIELD RECORD"})) return "fldr";
  if (words.has_any({"CDP", "CMP", "ENSEMBLE"})) return "cdp";
  return {};
}

std::vector<ByteLabel> byte_labels(std::span<const std::byte> text, TextEncoding encoding) {
  std::vector<ByteLabel> labels;
  const auto lines = plain_lines(text, encoding);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::vector<std::string> words = words_of_line(lines[l]);
    const std::vector<NamedBytes> named = bytes_in(words);
    if (named.empty()) continue;
    const bool label_first = !informative_words(words, 0, named.front().first_word).empty();
    std::string label;
    for (std::size_t n = 0; n < named.size(); ++n) {
      const std::size_t begin = label_first ? (n == 0 ? 0 : named[n - 1].end_word) : named[n].end_word;
      const std::size_t end = label_first            ? named[n].first_word
                              : n + 1 < named.size() ? named[n + 1].first_word
                                                     : words.size();
      const auto own = informative_words(words, begin, end);
      // In "X AND Y IN BYTES 181 AND 185" both positions have the same label.
      if (!own.empty()) label = fmt::format("{}", fmt::join(own, " "));
      if (label.size() < 2 && label != "X" && label != "Y") continue;
      labels.push_back({named[n].first_byte, named[n].last_byte, label, meaning_of(label), l + 1});
      // "X AND Y" for two positions means X at the first and Y at the second.
      if (labels.size() > 1 && labels.back().meaning == LabelMeaning::coordinate && own.empty()) {
        ByteLabel& before = labels[labels.size() - 2];
        if (before.label == label && before.line == l + 1 && label.ends_with(" X Y")) {
          labels.back().label.erase(label.size() - 3, 2);
          before.label.erase(label.size() - 2);
        }
      }
    }
  }
  return labels;
}

}  // namespace sill::segy
