// All header words of SEG-Y revisions 0 to 2.1 and of Seismic Unix, in one table a header, and looking them up.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/words/word.hpp"

namespace sill::segy {

/// Bytes of a trace header, additional ones too.
inline constexpr int trace_header_bytes = 240;

/// Additional headers of a trace that words are looked for in. Revision 2 bounds them by a word of two bytes.
inline constexpr int max_additional_headers = 64;

/// Local. All words of the trace header, bytes 1-240 without a gap, in order, as the latest revision has them.
[[nodiscard]] std::span<const Word> trace_words();

/// Local. Words of the trace header that the latest revision no longer has; others of `trace_words` lie there.
[[nodiscard]] std::span<const Word> former_trace_words();

/// Local. All words of the binary header, file bytes 3201-3300 and 3501-3532, in order, as the latest revision has
/// them.
[[nodiscard]] std::span<const Word> binary_words();

/// Local. Words of the binary header that the latest revision no longer has.
[[nodiscard]] std::span<const Word> former_binary_words();

/// Local. The words of the trace header that a revision has, in order of their bytes. Files of revision 0 have those of
/// revision 1, too; up to it nobody says what bytes 233-240 are.
[[nodiscard]] std::vector<const Word*> trace_words_in(Revision revision);

/// Local. The words of the binary header that a revision has, in order of their bytes.
[[nodiscard]] std::vector<const Word*> binary_words_in(Revision revision);

/// Local. The word of the binary header that begins at byte `byte` (3201 and up) in a revision. Precondition: there is
/// one.
[[nodiscard]] const Word& binary_word(int byte, Revision revision = Revision::rev2_1);

/// Local. All words of trace header extension 1, in order; bytes 177-232 are unassigned.
[[nodiscard]] std::span<const Word> extension_words();

/// Up to this byte a Seismic Unix trace header has the words of SEG-Y.
inline constexpr int su_common_bytes = 180;

/// Local. Seismic Unix's own words, bytes 181-212 of its trace header.
[[nodiscard]] std::span<const Word> su_words();

/// Local. The trace header word, former ones too, of that name in any of the vocabularies, any case; nullptr if there
/// is none.
[[nodiscard]] const Word* find_trace_word(std::string_view name);

/// Local. The binary header word, former ones too, of that name in any of the vocabularies, any case; nullptr if there
/// is none. segyio renamed four words; both their names are known.
[[nodiscard]] const Word* find_binary_word(std::string_view name);

/// Local. The word of extension 1 of that name, any case; by its layout name only with the header's: "SEG00001.sht_x".
[[nodiscard]] const Word* find_extension_word(std::string_view name);

/// Local. Up to three names of `words` and `also` that `name` may have been meant to be, the nearest first.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view name, std::span<const Word> words = trace_words(),
                                                     std::span<const std::string_view> also = {});

namespace detail {
/// Local. `text` with A-Z made small.
[[nodiscard]] std::string lower_case(std::string_view text);
}  // namespace detail

}  // namespace sill::segy
