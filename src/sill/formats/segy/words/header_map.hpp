// What names mean: where in a trace's headers a named word lies, how it is stored, and what scales it.
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

/// Characters of the name of a word, at most.
inline constexpr std::size_t longest_word_name = 80;

/// How the true value of a word comes from the stored one.
struct Scaling {
  enum class Kind : std::uint8_t {
    none,
    factor,        ///< times `factor`
    word,          ///< by the word at `byte`: positive multiplies, negative divides, 0 is 1
    power_of_ten,  ///< times ten to the power that the word at `byte` holds
    missing        ///< by a word that the map has not: there is no true value
  };
  Kind kind = Kind::none;
  double factor = 1.0;
  int byte = 0;  ///< from 1, in the trace
  WordType type;

  friend bool operator==(const Scaling&, const Scaling&) = default;
};

/// A word as a user named it. Bytes count from 1 in the trace: byte 241 is byte 1 of the first additional header.
struct WordRef {
  std::string name;  ///< as written
  int byte = 1;
  WordType type;
  Scaling scaling = {};
  const Word* standard = nullptr;  ///< the standard word that it is, wherever it lies
  int twin_byte = 0;  ///< of the word of extension 1 that stands for it where that is not zero; 0 if there is none, or
                      ///< if the file is not known to have additional headers
  WordType twin_type = {};
};

/// A word of a map.
struct MapWord {
  std::vector<std::string> names;  ///< the first is shown
  int byte = 1;                    ///< from 1, in the trace
  WordType type;
  std::string scalar;  ///< name of the word that scales it, or empty
  double factor = 1.0;
  bool has_exponent = false;  ///< a power of ten follows the word, as an i2
  std::string unit;
  std::string text;
  const Word* standard = nullptr;  ///< the standard word that it is, wherever it lies
  bool follows_twin = true;        ///< extension 1 may override it: no user has put it elsewhere
  int layer = 0;                   ///< 0: where the standard has it; of two layers the later counts
  Scaling scaling = {};            ///< as the map in whole has it
};

/// Which names a file's traces answer to before any map. Revision 0 has no scalar of times: bytes 181-240 are
/// unassigned there, and what lies at 215-216 by chance must not scale words that it does have.
enum class HeaderKind : std::uint8_t { segy, segy_of_revision_0, su };

/// All names and their words. A map is laid over another word by word: a word that has one of the names of a word
/// below is that word, moved, and all other names of it move with it. So who maps `iline` maps INLINE_3D and `inline`,
/// too.
class HeaderMap {
 public:
  /// Local. The words of SEG-Y revision 2.1: trace header, former words, extension 1 (bytes 241-480).
  [[nodiscard]] static const HeaderMap& standard();

  /// Local. `standard`; `petrel` (in-line at byte 5, cross-line at 21, ensemble x and y at 73 and 77); `rev2.1-ext1`
  /// (the names of words that extension 1 overrides mean those of extension 1); `su` (bytes 1-180 of the standard, then
  /// Seismic Unix's own); `text` (where the text header of a file says, which `words_of` lays). Errors: usage with the
  /// names there are.
  [[nodiscard]] static HeaderMap preset(std::string_view name);
  [[nodiscard]] static std::span<const std::string_view> preset_names();

  /// Local. A map from the text of a file, TOML or (if it begins with a brace) JSON; docs/words.md has the form.
  /// `source_name` is named in errors. Errors: usage with file and, where known, line: no TOML or JSON, unknown keys,
  /// wrong types, bytes that no word can have, names twice, a scalar that is no integer word.
  [[nodiscard]] static HeaderMap parse(std::string_view text, const std::string& source_name);

  /// Local. The word of that name, any case, or nullptr.
  [[nodiscard]] const MapWord* find(std::string_view name) const;

  /// Local. The word that `text` names: a name as `find` knows it, or `@BYTE:TYPE` ("@189:i4", wholly inside one of the
  /// trace's headers: bytes 1-240, 241-480, ..., to 15600; any type that `parse_word_type` reads). A position is the
  /// map's word of that byte and type, if there is one. Blanks around it are ignored.
  /// Throws Error(usage) with the names it may have been meant to be, those of `also` (other names that are valid where
  /// the word was asked for) included, or with the grammar; and, of a map of files, for words of headers that their
  /// traces do not have.
  [[nodiscard]] WordRef word(std::string_view text, std::span<const std::string_view> also = {}) const;

  /// Local. All words, by byte; former words and those of headers that a file may not have, too.
  [[nodiscard]] std::span<const MapWord> all() const { return words_; }

  /// Local. Whose words it began with.
  [[nodiscard]] HeaderKind kind() const { return kind_; }

  /// Local. Up to three names of words and of `also` that `name` may have been meant to be, the nearest first.
  [[nodiscard]] std::vector<std::string> nearest(std::string_view name,
                                                 std::span<const std::string_view> also = {}) const;

  /// Additional headers that each trace is known to have; 0 for a map of no file.
  [[nodiscard]] int additional_headers() const { return additional_headers_; }

  /// Local. Whether a file's text header places words.
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
  std::unordered_map<std::string, std::size_t> index_;  // names in small letters
  int additional_headers_ = 0;
  bool is_of_files_ = false;  // the headers of its traces are known
  HeaderKind kind_ = HeaderKind::segy;
  // What a user's map lays over the words of a file: all of it, or those of the text header, then these, the last on
  // top.
  std::optional<HeaderKind> whole_;
  bool follows_text_ = false;
  std::vector<std::vector<LayerWord>> layers_;
  std::string source_name_;
};

/// Local. What names mean in a file: `user`'s map (or nullptr) over that of the file's layout stanza (or nullptr) over
/// the words of its kind. The user's presets `standard` and `su` count in whole: nothing is left of the file's own.
/// `header_names` are what bytes 233-240 of each trace's headers state, the trace header first: as many as a trace has
/// headers; none is one header. Without "SEG00001" as the second, the map has no words of extension 1, and true values
/// none from there. `of_text`: what the text header places, laid if the user's map follows it. Errors: usage if the
/// user's words do not fit the file's, or the text header is to be followed and places none.
[[nodiscard]] HeaderMap words_of(HeaderKind kind, std::span<const std::string> header_names, const LayoutStanza* stanza,
                                 const HeaderMap* user, std::span<const LayerWord> of_text = {});

/// Local. HeaderMap::word of the standard map.
[[nodiscard]] WordRef parse_word(std::string_view text, std::span<const std::string_view> also = {});

/// Local. The values that words scaled by others are compared by: see `Scaling`; where `word` has a twin and the
/// trace's second header is extension 1 (by its name, in ASCII or EBCDIC), the twin's value unless that is 0. Exact for
/// integers below 2^53; NaN only from floats. `header` is the address of byte 1 of the trace, as in HeaderView.
/// Precondition: the scaling is not `missing`, the type not text.
[[nodiscard]] double true_value(const WordRef& word, const std::byte* header, ByteOrder order);

/// Local. First byte, from 0, and end of what is read of a trace's headers; nothing where the end is 0.
struct TrueBytes {
  int first = 0;
  int end = 0;
};
/// Local. What `true_value` reads.
[[nodiscard]] TrueBytes bytes_of_true_value(const WordRef& word);

/// Local. Both, and what lies between them.
[[nodiscard]] TrueBytes joined(TrueBytes a, TrueBytes b);

/// Local. Throws Error(usage) if `word` has no true value; `asked` is what the user wrote.
void require_true_value(const WordRef& word, std::string_view asked);

namespace detail {
/// Local. True if a word of this name can be asked for in a key: letters, digits, `_`, `.` and `-`, a letter or `_`
/// first, and no name that means something else there.
[[nodiscard]] bool is_usable_name(std::string_view name);

/// Local. Why no word of `type` can begin at `byte` of a trace, or empty.
[[nodiscard]] std::string wrong_place(std::int64_t byte, WordType type);

/// What a map file says.
struct MapFile {
  std::string base;  ///< a preset, or empty
  std::vector<LayerWord> words;
};

/// Local. Errors: usage, as HeaderMap::parse.
[[nodiscard]] MapFile read_map_file(std::string_view text, const std::string& source_name);

/// Local. Throws Error(usage) about line `line` (0: not known) of a map.
[[noreturn]] void throw_map_error(const std::string& source_name, int line, std::string_view problem,
                                  std::string_view action);
}  // namespace detail

}  // namespace sill::segy
