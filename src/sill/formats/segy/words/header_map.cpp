// Maps of header words: presets, layers, names, positions.
#include "sill/formats/segy/words/header_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <set>

#include "sill/base/ascii.hpp"
#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/user_text.hpp"

namespace sill::segy {
namespace {

constexpr int first_su_byte = 181;
constexpr int last_header_byte = trace_header_bytes * (1 + max_additional_headers);

constexpr std::string_view extension1_name = "SEG00001";

constexpr std::array<std::string_view, 5> presets = {"standard", "petrel", "rev2.1-ext1", "su", "text"};

// Names with another meaning in the places where word names are allowed: in an expression, or in the list of words that
// `compare` ignores.
constexpr std::array<std::string_view, 12> other_names = {
    "calc_offset", "azimuth", "midpoint_x", "midpoint_y", "file", "trace", "text", "and", "or", "not", "in", "between"};

constexpr std::string_view word_grammar =
    "write a word by name (cdp, SourceX, ensemble_num) or as @BYTE:TYPE, with BYTE 1-240 (241 and more in additional "
    "headers) and TYPE one of i1-i8, u1-u8, f4, f8, ibm4, a1-a8 (@189:i4)";

// By this number callers recognize the error, such as Python, where it is a KeyError.
constexpr int no_such_word = ENXIO;

bool is_integer(WordType type) {
  return type.kind == WordKind::signed_integer || type.kind == WordKind::unsigned_integer;
}

MapWord map_word(const Word& word) {
  MapWord result;
  for (const std::string_view name : {word.shown_name(), word.segyio, word.su, word.standard}) {
    if (!name.empty() && std::ranges::find(result.names, name) == result.names.end()) result.names.emplace_back(name);
  }
  // Common names for the lines of a cube.
  if (word.shown_name() == "iline") result.names.emplace_back("il");
  if (word.shown_name() == "xline") result.names.emplace_back("xl");
  result.byte = word.byte_in_trace();
  result.type = word.type;
  result.unit = word.unit;
  result.text = word.text;
  result.standard = &word;
  // The transduction constant and the source measurement have powers of ten; all other scalars multiply or divide.
  result.has_exponent = word.scalar_byte == 209 || word.scalar_byte == 229;
  if (word.scalar_byte != 0 && !result.has_exponent) {
    result.scalar = std::ranges::find(trace_words(), word.scalar_byte, &Word::byte)->shown_name();
  }
  return result;
}

[[noreturn]] void throw_bad_position(std::string_view text, std::string_view what) {
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("'{}' {}", echoed(text), what),
               .action = std::string(word_grammar),
               .system_error_number = no_such_word});
}

std::vector<LayerWord> petrel_layer() {
  constexpr WordType i4{WordKind::signed_integer, 4};
  return {{.names = {"iline"}, .byte = 5, .type = i4},
          {.names = {"xline"}, .byte = 21, .type = i4},
          {.names = {"cdpx"}, .byte = 73, .type = i4},
          {.names = {"cdpy"}, .byte = 77, .type = i4}};
}

// Words of extension 1 contain true values: no scalar is applied.
std::vector<LayerWord> extension_layer() {
  std::vector<LayerWord> layer;
  for (const Word& word : extension_words()) {
    if (word.overrides == 0) continue;
    const Word& base = *std::ranges::find(trace_words(), word.overrides, &Word::byte);
    layer.push_back({.names = {std::string(base.shown_name())},
                     .byte = word.byte_in_trace(),
                     .type = word.type,
                     .scalar = "",
                     .factor = 1.0,
                     .unit = std::string(word.unit)});
  }
  return layer;
}

}  // namespace

bool detail::is_usable_name(std::string_view name) {
  const auto begins = [](char c) { return is_letter(c) || c == '_'; };
  const auto is_other = [](char c) { return is_digit(c) || c == '.' || c == '-'; };
  if (name.empty() || name.size() > longest_word_name || !begins(name.front())) return false;
  if (!std::ranges::all_of(name, [&](char c) { return begins(c) || is_other(c); })) return false;
  return std::ranges::find(other_names, lower_case(name)) == other_names.end();
}

std::string detail::wrong_place(std::int64_t byte, WordType type) {
  if (byte < 1 || byte > last_header_byte) {
    return fmt::format(
        "byte {} is not a byte of a trace's headers, which are 1 to 240 and, with additional headers, to {}", byte,
        last_header_byte);
  }
  const std::int64_t header_end = (byte - 1) / trace_header_bytes * trace_header_bytes + trace_header_bytes;
  if (byte + type.bytes - 1 > header_end) {
    return fmt::format("{} bytes starting at byte {} extend beyond byte {}, the end of the header", type.bytes, byte,
                       header_end);
  }
  return {};
}

void detail::throw_map_error(const std::string& source_name, int line, std::string_view problem,
                             std::string_view action) {
  throw Error({.code = ErrorCode::usage,
               .problem = line > 0 ? fmt::format("line {}: {}", line, problem) : std::string(problem),
               .where = {.file = source_name},
               .action = std::string(action)});
}

HeaderMap HeaderMap::of_kind(HeaderKind kind) {
  HeaderMap map;
  map.kind_ = kind;
  const auto add = [&](std::span<const Word> words, int end) {
    for (const Word& word : words) {
      if (word.byte < end) map.words_.push_back(map_word(word));
    }
  };
  if (kind == HeaderKind::su) {
    add(trace_words(), first_su_byte);
    add(su_words(), trace_header_bytes + 1);
  } else {
    for (const auto words : {trace_words(), former_trace_words(), extension_words()}) {
      add(words, trace_header_bytes + 1);
    }
  }
  // Revision 0 and Seismic Unix have no scalar of times.
  if (kind != HeaderKind::segy)
    for (MapWord& word : map.words_)
      if (word.scalar == "sctrh") word.scalar.clear();
  map.index_names();
  map.resolve_scalings();
  return map;
}

const HeaderMap& HeaderMap::standard() {
  static const HeaderMap map = of_kind(HeaderKind::segy);
  return map;
}

std::span<const std::string_view> HeaderMap::preset_names() { return presets; }

HeaderMap HeaderMap::preset(std::string_view name) {
  const std::string wanted = detail::lower_case(name);
  if (wanted == "standard" || wanted == "su") {
    const HeaderKind kind = wanted == "su" ? HeaderKind::su : HeaderKind::segy;
    HeaderMap map = of_kind(kind);
    map.whole_ = kind;
    return map;
  }
  HeaderMap map = of_kind(HeaderKind::segy);
  if (wanted == "text") {
    map.follows_text_ = true;
    return map;
  }
  if (wanted == "petrel") {
    map.layers_ = {petrel_layer()};
  } else if (wanted == "rev2.1-ext1") {
    map.layers_ = {extension_layer()};
  } else {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("unknown header map '{}'", echoed(name)),
                 .action = did_you_mean(sill::nearest_names(name, presets)) +
                           fmt::format("the presets are {}", fmt::join(presets, ", "))});
  }
  map.lay(map.layers_.front(), LaidBy::user, std::string(name));
  return map;
}

HeaderMap HeaderMap::parse(std::string_view text, const std::string& source_name) {
  detail::MapFile file = detail::read_map_file(text, source_name);
  HeaderMap map = file.base.empty() ? of_kind(HeaderKind::segy) : preset(file.base);
  map.source_name_ = source_name;
  map.lay(file.words, LaidBy::user, source_name);
  map.layers_.push_back(std::move(file.words));
  return map;
}

void HeaderMap::index_names() {
  index_.clear();
  std::ranges::stable_sort(words_, {}, &MapWord::byte);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    for (const std::string& name : words_[i].names) index_.emplace(detail::lower_case(name), i);
  }
}

void HeaderMap::resolve_scalings() {
  for (MapWord& word : words_) {
    word.scaling = {};
    if (word.has_exponent) {
      word.scaling = {Scaling::Kind::power_of_ten, 1.0, word.byte + word.type.bytes, {WordKind::signed_integer, 2}};
    } else if (!word.scalar.empty()) {
      const MapWord* const scalar = find(word.scalar);
      const bool fits = scalar != nullptr && scalar != &word && is_integer(scalar->type);
      word.scaling = {Scaling::Kind::missing, 1.0, 0, {}};
      if (fits) word.scaling = {Scaling::Kind::word, 1.0, scalar->byte, scalar->type};
    } else if (word.factor != 1.0) {
      word.scaling = {Scaling::Kind::factor, word.factor, 0, {}};
    }
  }
}

void HeaderMap::require_scalars(std::span<const LayerWord> layer, const std::string& source_name) const {
  for (const LayerWord& one : layer) {
    if (!one.scalar || one.scalar->empty()) continue;
    const MapWord* const scalar = find(*one.scalar);
    if (scalar == nullptr) {
      detail::throw_map_error(
          source_name, one.line,
          fmt::format("'{}' is scaled by '{}', which is not a word", one.names.front(), echoed(*one.scalar)),
          did_you_mean(nearest(*one.scalar)) + "a scalar is the name of a word, or a number");
    }
    if (scalar == find(one.names.front()) || !is_integer(scalar->type)) {
      detail::throw_map_error(source_name, one.line,
                              fmt::format("'{}' cannot be scaled by '{}'", one.names.front(), *one.scalar),
                              "a scalar must be another word, of integer type");
    }
  }
}

void HeaderMap::move_to(MapWord& word, const LayerWord& layer, LaidBy by) const {
  const bool states_scaling = layer.scalar || layer.factor || layer.has_exponent;
  word.byte = layer.byte;
  word.type = layer.type;
  // The scalar of an integer does not apply to floats or text that replace the integer.
  if (states_scaling || !is_integer(layer.type)) {
    word.scalar = layer.scalar.value_or("");
    word.factor = layer.factor.value_or(1.0);
    word.has_exponent = layer.has_exponent.value_or(false);
  }
  if (layer.unit) word.unit = *layer.unit;
  if (layer.text) word.text = *layer.text;
  word.layer = layers_applied_;
  if (by == LaidBy::user) word.follows_twin = false;
}

void HeaderMap::lay(std::span<const LayerWord> layer, LaidBy by, const std::string& source_name) {
  ++layers_applied_;
  std::set<std::size_t> moved;
  std::set<std::string> taken;
  std::vector<std::size_t> places;
  for (const LayerWord& one : layer) {
    std::set<std::size_t> meant;
    for (const std::string& name : one.names) {
      const std::string small = detail::lower_case(name);
      if (!taken.insert(small).second) {
        detail::throw_map_error(source_name, one.line, fmt::format("the name '{}' is given twice", echoed(name)),
                                "give each word different names; case is ignored");
      }
      if (const auto known = index_.find(small); known != index_.end()) meant.insert(known->second);
    }
    if (meant.size() > 1) {
      detail::throw_map_error(source_name, one.line,
                              fmt::format("'{}' has the names of different words: {} and {}", echoed(one.names.front()),
                                          words_[*meant.begin()].names.front(), words_[*meant.rbegin()].names.front()),
                              "a word has one position: omit the names of the other word");
    }
    if (!meant.empty() && !moved.insert(*meant.begin()).second) {
      detail::throw_map_error(source_name, one.line,
                              fmt::format("'{}' is another name of {}, which is already given",
                                          echoed(one.names.front()), words_[*meant.begin()].names.front()),
                              "all names of a word are equivalent: give one of them");
    }
    const std::size_t at = meant.empty() ? words_.size() : *meant.begin();
    if (meant.empty()) {
      words_.emplace_back();
      moved.insert(at);
    }
    MapWord& word = words_[at];
    move_to(word, one, by);
    const auto add_name = [&](const std::string& name) {
      if (index_.emplace(detail::lower_case(name), at).second) word.names.push_back(name);
    };
    for (const std::string& name : one.names) add_name(name);
    places.push_back(at);
  }
  for (std::size_t i = 0; i < layer.size(); ++i) {
    for (const std::string& name : layer[i].if_free) {
      const bool is_free = index_.emplace(detail::lower_case(name), places[i]).second;
      if (is_free) words_[places[i]].names.push_back(name);
    }
  }
  if (by == LaidBy::file) drop_overlapped(layer, moved);
  index_names();
  if (by == LaidBy::user) require_scalars(layer, source_name);
  resolve_scalings();
}

void HeaderMap::drop_overlapped(std::span<const LayerWord> layer, const std::set<std::size_t>& kept) {
  std::vector<MapWord> left;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const MapWord& word = words_[i];
    const bool is_overlapped = std::ranges::any_of(layer, [&](const LayerWord& one) {
      const int end = one.byte + one.type.bytes + (one.has_exponent.value_or(false) ? 2 : 0);
      return one.byte < word.byte + word.type.bytes && word.byte < end;
    });
    if (kept.contains(i) || !is_overlapped) left.push_back(word);
  }
  words_ = std::move(left);
}

const MapWord* HeaderMap::find(std::string_view name) const {
  const auto found = index_.find(detail::lower_case(name));
  return found == index_.end() ? nullptr : &words_[found->second];
}

WordRef HeaderMap::ref_of(const MapWord& word, std::string_view name) const {
  WordRef ref{std::string(name), word.byte, word.type, word.scaling, word.standard, 0, {}};
  if (additional_headers_ == 0 || !word.follows_twin || word.standard == nullptr) return ref;
  if (word.standard->block != WordBlock::trace || word.standard->until != Revision::none) return ref;
  for (const MapWord& other : words_) {
    if (other.standard == nullptr || other.standard->block != WordBlock::extension1) continue;
    if (other.standard->overrides != word.standard->byte) continue;
    ref.twin_byte = other.byte;
    ref.twin_type = other.type;
  }
  return ref;
}

void HeaderMap::require_header(const WordRef& word) const {
  const int header = (word.byte - 1) / trace_header_bytes;
  if (!is_of_files_ || header <= additional_headers_) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("'{}' is at byte {}, in additional header {}, but the traces have {}",
                                      echoed(word.name), word.byte, header, additional_headers_),
               .action = fmt::format("name words of bytes 1 to {}", trace_header_bytes * (1 + additional_headers_))});
}

WordRef HeaderMap::position(std::string_view text) const {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) throw_bad_position(text, "has no type");
  const std::string_view digits = text.substr(1, colon - 1);
  int byte = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), byte);
  if (status != std::errc{} || end != digits.data() + digits.size()) {
    throw_bad_position(text, "does not name a byte of the trace's headers");
  }
  const auto type = parse_word_type(text.substr(colon + 1));
  if (!type) throw_bad_position(text, "has an unknown type");
  const std::string wrong = detail::wrong_place(byte, *type);
  if (!wrong.empty()) throw_bad_position(text, "is not the name of a word: " + wrong);
  for (const MapWord& word : words_) {
    if (word.byte == byte && word.type == *type) return ref_of(word, text);
  }
  return {std::string(text), byte, *type, {}, nullptr, 0, {}};
}

WordRef HeaderMap::word(std::string_view text, std::span<const std::string_view> also) const {
  const std::string_view name = trimmed(text);
  if (name.empty()) {
    throw Error({.code = ErrorCode::usage,
                 .problem = "a header word is missing",
                 .action = std::string(word_grammar),
                 .system_error_number = no_such_word});
  }
  const MapWord* const known = find(name);
  if (name.front() == '@' || known != nullptr) {
    WordRef ref = known != nullptr ? ref_of(*known, name) : position(name);
    require_header(ref);
    return ref;
  }
  ErrorParts parts{.code = ErrorCode::usage, .problem = fmt::format("unknown header word '{}'", echoed(name))};
  const bool is_variable = std::ranges::find(also, name) != also.end();
  if (is_variable) {
    parts.problem = fmt::format("'{}' is a variable of expressions, not a header word", echoed(name));
  } else if (find_binary_word(name) != nullptr) {
    parts.problem = fmt::format("'{}' is a word of the binary header, not of the trace header", echoed(name));
  } else if (find_trace_word(name) != nullptr) {
    parts.problem =
        fmt::format("'{}' is a word of the standard trace header, which this file does not have", echoed(name));
  }
  parts.action = (is_variable ? "" : did_you_mean(nearest(name, also))) + std::string(word_grammar);
  parts.system_error_number = no_such_word;
  throw Error(std::move(parts));
}

std::vector<std::string> HeaderMap::nearest(std::string_view name, std::span<const std::string_view> also) const {
  std::vector<std::string_view> known(also.begin(), also.end());
  for (const MapWord& word : words_) known.insert(known.end(), word.names.begin(), word.names.end());
  return sill::nearest_names(name, known);
}

HeaderMap words_of(HeaderKind kind, std::span<const std::string> header_names, const LayoutStanza* stanza,
                   const HeaderMap* user, std::span<const LayerWord> of_text) {
  const bool whole = user != nullptr && user->whole_;
  HeaderMap map = HeaderMap::of_kind(whole ? *user->whole_ : kind);
  map.is_of_files_ = true;
  map.additional_headers_ = std::max(0, static_cast<int>(header_names.size()) - 1);
  if (header_names.size() > 1 && header_names[1] != extension1_name) {
    std::erase_if(map.words_, [](const MapWord& word) { return word.standard->block == WordBlock::extension1; });
    map.index_names();
  }
  if (!whole && stanza != nullptr) map.lay(stanza->words, HeaderMap::LaidBy::file, stanza->source_name);
  if (user != nullptr) {
    if (user->follows_text_ && of_text.empty())
      throw Error(
          {.code = ErrorCode::usage,
           .problem =
               "the map is taken from the text header, which states no other positions of words than the standard",
           .action = "give a file with a header map, or omit --map"});
    if (user->follows_text_) map.lay(of_text, HeaderMap::LaidBy::user, "text header");
    for (const auto& layer : user->layers_) map.lay(layer, HeaderMap::LaidBy::user, user->source_name_);
  }
  return map;
}

WordRef parse_word(std::string_view text, std::span<const std::string_view> also) {
  return HeaderMap::standard().word(text, also);
}

}  // namespace sill::segy
