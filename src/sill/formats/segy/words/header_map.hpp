// Maps of word names: the byte where a named word is stored in the headers of a trace, its type, and its scaling.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sill/formats/segy/words/map_layer.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::segy {

/// Maximum number of characters in the name of a word.
inline constexpr std::size_t longest_word_name = 80;

/// The way to compute the true value of a word from the stored value.
struct Scaling {
  enum class Kind : std::uint8_t {
    none,
    factor,        ///< multiply by `factor`
    word,          ///< scale by the word at `byte`: a positive scalar multiplies, a negative scalar divides, 0 is
                   ///< treated as 1
    power_of_ten,  ///< multiply by ten to the power that is stored at `byte`
    missing        ///< scaled by a word that the map does not have: there is no true value
  };
  Kind kind = Kind::none;
  double factor = 1.0;
  int byte = 0;  ///< from 1, in the trace
  WordType type;

  friend bool operator==(const Scaling&, const Scaling&) = default;
};

/// A word that a user named. Bytes count from 1 in the trace: byte 241 is byte 1 of the first additional header.
struct WordRef {
  std::string name;  ///< as the user wrote it
  int byte = 1;
  WordType type;
  Scaling scaling = {};
  const Word* standard = nullptr;  ///< the standard word that has this name, at whatever byte the map puts it
  int twin_byte = 0;  ///< byte of the word of extension 1 that overrides this word where it is not zero; 0 if there is
                      ///< no such word, or if the file is not known to have additional headers
  WordType twin_type = {};
};

/// A word of a map.
struct MapWord {
  std::vector<std::string> names;  ///< the first one is displayed
  int byte = 1;                    ///< from 1, in the trace
  WordType type;
  std::string scalar;  ///< name of the word that scales this word, or empty
  double factor = 1.0;
  bool has_exponent = false;  ///< an exponent of 10, of type i2, is stored directly after the word
  std::string unit;
  std::string text;
  const Word* standard = nullptr;  ///< the standard word that has this name, at whatever byte the map puts it
  bool follows_twin = true;        ///< extension 1 may override this word: no user has moved it
  int layer = 0;                   ///< 0: at its standard position; otherwise the layer that moved or added it last
  Scaling scaling = {};            ///< the scaling that follows from the complete map
};

/// The kind of headers that determines the names before any map is applied. Revision 0 has no scalar of times: bytes
/// 181-240 are unassigned there, and arbitrary data at bytes 215-216 must not scale words that revision 0 does have.
enum class HeaderKind : std::uint8_t { segy, segy_of_revision_0, su };

/// All names and their words. Layers are applied to a map word by word: if a word of the layer has a name of a word in
/// the map, the word of the layer replaces the position and type of that word, and all other names of that word move
/// with it. So a user who maps `iline` also maps INLINE_3D and `inline`.
class HeaderMap {
 public:
  /// Local. Returns the words of SEG-Y revision 2.1: trace header, former words, extension 1 (bytes 241-480).
  [[nodiscard]] static const HeaderMap& standard();

  /// Local. Returns the preset called `name`: `standard`; `petrel` (in-line at byte 5, cross-line at 21, ensemble x and
  /// y at 73 and 77); `rev2.1-ext1` (the names of words that extension 1 overrides denote the words of extension 1);
  /// `su` (bytes 1-180 of the standard, then the words of Seismic Unix); `text` (positions that the text header of a
  /// file states; `words_of` applies them). Errors: usage, with the names of all presets, if there is no preset of that
  /// name.
  [[nodiscard]] static HeaderMap preset(std::string_view name);
  [[nodiscard]] static std::span<const std::string_view> preset_names();

  /// Local. Returns the map that `text`, the content of a file, describes: TOML, or JSON if it begins with a brace;
  /// docs/words.md describes the format. `source_name` is named in errors. Errors: usage, with the file and, where
  /// known, the line: invalid TOML or JSON, unknown keys, wrong types, bytes that no word can have, duplicate names, a
  /// scalar that is not an integer word.
  [[nodiscard]] static HeaderMap parse(std::string_view text, const std::string& source_name);

  /// Local. Returns the word called `name` (case is ignored), or nullptr if there is none.
  [[nodiscard]] const MapWord* find(std::string_view name) const;

  /// Local. Returns the word that `text` names: a name as in `find`, or `@BYTE:TYPE` ("@189:i4", entirely within one
  /// header of the trace: bytes 1-240, 241-480, ..., up to byte 15600; any type that `parse_word_type` reads). A
  /// position denotes the map's word of that byte and type, if there is one. Blanks around the text are ignored.
  /// Throws Error(usage) with similar names, including names in `also` (other names that are valid in this context), or
  /// with the grammar; and, if the map belongs to files, for words of headers that their traces do not have.
  [[nodiscard]] WordRef word(std::string_view text, std::span<const std::string_view> also = {}) const;

  /// Local. Returns all words in order of their bytes, including former words and words of headers that a file may not
  /// have.
  [[nodiscard]] std::span<const MapWord> all() const { return words_; }

  /// Local. Returns the kind of headers whose words the map started from.
  [[nodiscard]] HeaderKind kind() const { return kind_; }

  /// Local. Returns up to three names of words, or names in `also`, that are similar to `name`, the nearest first.
  [[nodiscard]] std::vector<std::string> nearest(std::string_view name,
                                                 std::span<const std::string_view> also = {}) const;

  /// Local. Returns the number of additional headers that each trace is known to have; 0 if the map does not belong to
  /// a file.
  [[nodiscard]] int additional_headers() const { return additional_headers_; }

  /// Local. Returns true if the positions of header words are read from the text header of the file.
  [[nodiscard]] bool follows_text() const { return follows_text_; }

  friend HeaderMap words_of(HeaderKind kind, std::span<const std::string> header_names, const LayoutStanza* stanza,
                            const HeaderMap* user, std::span<const LayerWord> of_text);

 private:
  enum class LaidBy : std::uint8_t { user, file };

  [[nodiscard]] static HeaderMap of_kind(HeaderKind kind);
  void lay(std::span<const LayerWord> layer, LaidBy by, const std::string& source_name);
  void move_to(MapWord& word, const LayerWord& layer, LaidBy by) const;
  void drop_overlapped(std::span<const LayerWord> layer, const std::set<std::size_t>& kept);
  void index_names();
  void resolve_scalings();
  void require_scalars(std::span<const LayerWord> layer, const std::string& source_name) const;
  void require_header(const WordRef& word) const;
  [[nodiscard]] WordRef position(std::string_view text) const;
  [[nodiscard]] WordRef ref_of(const MapWord& word, std::string_view name) const;

  int layers_applied_ = 0;
  std::vector<MapWord> words_;
  std::unordered_map<std::string, std::size_t> index_;  // names in lower case
  int additional_headers_ = 0;
  bool is_of_files_ = false;  // the map belongs to files, so the headers of the traces are known
  HeaderKind kind_ = HeaderKind::segy;
  // What a user's map applies to the words of a file: a complete map that replaces them, or the positions from the text
  // header, and then the layers in order.
  std::optional<HeaderKind> whole_;
  bool follows_text_ = false;
  std::vector<std::vector<LayerWord>> layers_;
  std::string source_name_;
};

/// Local. Returns the names and words of a file: the words of its kind, overridden by the layout stanza of the file (or
/// nullptr), overridden by the map of the user (or nullptr). The user's presets `standard` and `su` replace all words
/// of the file.
/// `header_names` are the names at bytes 233-240 of each header of a trace, the trace header first: one entry per
/// header; an empty list stands for one header. If the second name is not "SEG00001", the map has no words of extension
/// 1, and true values do not use it. `of_text` are the positions from the text header; they are applied if the user's
/// map follows the text header. Errors: usage, if the words of the user are inconsistent with the words of the file, or
/// if the text header should be followed but states no positions.
[[nodiscard]] HeaderMap words_of(HeaderKind kind, std::span<const std::string> header_names, const LayoutStanza* stanza,
                                 const HeaderMap* user, std::span<const LayerWord> of_text = {});

/// Local. Returns the word of the standard map that `text` names, as HeaderMap::word does.
[[nodiscard]] WordRef parse_word(std::string_view text, std::span<const std::string_view> also = {});

/// Local. Returns the true value of a word: the stored value with its scaling applied, see `Scaling`. If `word` has a
/// twin and the second header of the trace is extension 1 (by its name, in ASCII or EBCDIC), returns the value of the
/// twin unless that is 0. Exact for integers below 2^53; NaN only from floats. `header` is the address of byte 1 of the
/// trace, as in HeaderView. Precondition: the scaling is not `missing`, and the type is not text.
[[nodiscard]] double true_value(const WordRef& word, const std::byte* header, ByteOrder order);

/// A range of bytes in the headers of a trace: first byte, from 0, and end. It is empty if the end is 0.
struct TrueBytes {
  int first = 0;
  int end = 0;
};
/// Local. Returns the bytes that `true_value` reads.
[[nodiscard]] TrueBytes bytes_of_true_value(const WordRef& word);

/// Local. Returns the smallest range that contains both ranges.
[[nodiscard]] TrueBytes joined(TrueBytes a, TrueBytes b);

/// Local. Throws Error(usage) if `word` has no true value; `asked` is what the user wrote.
void require_true_value(const WordRef& word, std::string_view asked);

namespace detail {
/// Local. Returns true if a key can contain a word of this name: letters, digits, `_`, `.` and `-`, starting with a
/// letter or `_`, and not a name that has another meaning in keys.
[[nodiscard]] bool is_usable_name(std::string_view name);

/// Local. Returns the reason why no word of `type` can begin at `byte` of a trace, or an empty text if one can.
[[nodiscard]] std::string wrong_place(std::int64_t byte, WordType type);

/// The content of a map file.
struct MapFile {
  std::string base;  ///< a preset, or empty
  std::vector<LayerWord> words;
};

/// Local. Reads the text of a map file. Errors: usage, as HeaderMap::parse.
[[nodiscard]] MapFile read_map_file(std::string_view text, const std::string& source_name);

/// Local. Throws Error(usage) for line `line` of a map (0: unknown line).
[[noreturn]] void throw_map_error(const std::string& source_name, int line, std::string_view problem,
                                  std::string_view action);
}  // namespace detail

}  // namespace sill::segy
