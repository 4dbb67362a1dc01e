// All header words of SEG-Y revisions 0 to 2.1 and of Seismic Unix, in one table per header, and functions to find
// them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/words/word.hpp"

namespace sill::segy {

/// Bytes of a trace header, or of an additional trace header.
inline constexpr int trace_header_bytes = 240;

/// Maximum number of additional trace headers in which words are supported. Revision 2 limits their number by a word of
/// two bytes.
inline constexpr int max_additional_headers = 64;

/// Local. Returns all words of the trace header as defined by the latest revision, in order; they cover bytes 1-240
/// without gaps.
[[nodiscard]] std::span<const Word> trace_words();

/// Local. Returns the words of the trace header that the latest revision no longer defines; other words of
/// `trace_words` occupy their bytes.
[[nodiscard]] std::span<const Word> former_trace_words();

/// Local. Returns all words of the binary header as defined by the latest revision, in order: file bytes 3201-3300 and
/// 3501-3532.
[[nodiscard]] std::span<const Word> binary_words();

/// Local. Returns the words of the binary header that the latest revision no longer defines.
[[nodiscard]] std::span<const Word> former_binary_words();

/// Local. Returns the words of the trace header that a revision defines, in order of their bytes. For revision 0 it
/// returns the words of revision 1, which such files often use. Before revision 2 the list has no words of bytes
/// 233-240, which are unassigned.
[[nodiscard]] std::vector<const Word*> trace_words_in(Revision revision);

/// Local. Returns the words of the binary header that a revision defines, in order of their bytes.
[[nodiscard]] std::vector<const Word*> binary_words_in(Revision revision);

/// Local. Returns the word of the binary header that begins at byte `byte` (3201 and up) in a revision. Precondition:
/// such a word exists.
[[nodiscard]] const Word& binary_word(int byte, Revision revision = Revision::rev2_1);

/// Local. Returns all words of trace header extension 1, in order; bytes 177-232 are unassigned.
[[nodiscard]] std::span<const Word> extension_words();

/// A Seismic Unix trace header has the words of SEG-Y up to this byte.
inline constexpr int su_common_bytes = 180;

/// Local. Returns the words that only Seismic Unix has, bytes 181-212 of its trace header.
[[nodiscard]] std::span<const Word> su_words();

/// Local. Returns the trace header word, including former words, that has this name in any vocabulary (case is
/// ignored), or nullptr if there is none.
[[nodiscard]] const Word* find_trace_word(std::string_view name);

/// Local. Returns the binary header word, including former words, that has this name in any vocabulary (case is
/// ignored), or nullptr if there is none. segyio renamed four words; both names of these words are found.
[[nodiscard]] const Word* find_binary_word(std::string_view name);

/// Local. Returns the word of extension 1 that has this name (case is ignored), or nullptr if there is none. A layout
/// name must include the name of the header: "SEG00001.sht_x".
[[nodiscard]] const Word* find_extension_word(std::string_view name);

/// Local. Returns up to three names of `words` or names in `also` that are similar to `name`, the nearest first.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view name, std::span<const Word> words = trace_words(),
                                                     std::span<const std::string_view> also = {});

namespace detail {
/// Local. Returns `text` with A-Z converted to lower case.
[[nodiscard]] std::string lower_case(std::string_view text);
}  // namespace detail

}  // namespace sill::segy
