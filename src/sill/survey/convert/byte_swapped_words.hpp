// Selects the words of trace headers whose bytes are swapped when the byte order changes.
#pragma once

#include <string>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill {

/// Local. Returns the words that a map or a file's layout defines, in order of precedence: words of a later layer
/// before those of an earlier one; within a layer, words before the exponents that follow them. The words may overlap.
[[nodiscard]] std::vector<segy::WordRef> words_of_layers(const segy::HeaderMap& map);

/// Local. Returns the words that the traces of `file` have, in order of precedence: first the words that state lengths
/// or name headers, at the positions every reader uses; then the words that a map or the file's own layout defines;
/// then the standard words at their standard positions, because a map that moves a name does not remove the word from
/// its old position. `upper` selects the meaning of bytes 181-240. Adds a note to `notes` for each word of a map that
/// overlaps a word that states lengths.
[[nodiscard]] std::vector<segy::WordRef> byte_swapped_words(const segy::HeaderMap& map,
                                                            const segy::FileDescription& file, segy::FileKind upper,
                                                            std::vector<std::string>& notes);

}  // namespace sill
