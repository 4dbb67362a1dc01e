// The standard header words of SEG-Y revisions 0 and 1, and how a user names one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/word.hpp"

namespace sill::segy {

/// Bytes of a trace header.
inline constexpr int trace_header_bytes = 240;

/// Local. All words of the trace header, bytes 1-232 without a gap, in order.
[[nodiscard]] std::span<const Word> trace_words();

/// Local. All words of the binary header, file bytes 3201-3260 and 3501-3506, in order.
[[nodiscard]] std::span<const Word> binary_words();

/// Local. The trace header word of that name in any of the three vocabularies, any case; nullptr if there is none.
[[nodiscard]] const Word* find_trace_word(std::string_view name);

/// Local. The binary header word of that name in any of the three vocabularies, any case; nullptr if there is none.
/// segyio renamed two words; both their names are known.
[[nodiscard]] const Word* find_binary_word(std::string_view name);

/// Local. Up to three names of `words` and `also` that `name` may have been meant to be, the nearest first.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view name, std::span<const Word> words = trace_words(),
                                                     std::span<const std::string_view> also = {});

/// A word of the trace header as a user named it.
struct WordRef {
  std::string name;  ///< as written
  int byte = 1;      ///< from 1
  WordType type;
};

/// Local. The word that `text` names: a name as `find_trace_word` knows it, or `@BYTE:TYPE` ("@189:i4", byte 1-240,
/// wholly inside the header, any type that `parse_word_type` reads). Blanks around it are ignored.
/// Throws Error(usage) with the names it may have been meant to be, those of `also` (other names that are valid where
/// the word was asked for) included, or with the grammar.
[[nodiscard]] WordRef parse_word(std::string_view text, std::span<const std::string_view> also = {});

namespace detail {
/// Local. `text` with A-Z made small.
[[nodiscard]] std::string lower_case(std::string_view text);
}  // namespace detail

}  // namespace sill::segy
