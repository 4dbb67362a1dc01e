// Which words of trace headers are turned when the byte order changes.
#pragma once

#include <string>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill {

/// Local. The words that a map or a file's layout puts somewhere, those that count most first: of a later layer before
/// those of an earlier; in a layer, words before the exponents behind them. They may overlap.
[[nodiscard]] std::vector<segy::WordRef> words_of_layers(const segy::HeaderMap& map);

/// Local. The words that the traces of `file` have, those that count most first: what states lengths and what names
/// headers, as every reader takes it; then what a map or the file's own layout puts somewhere; then the standard's
/// words at their own places, because a map that moves a name does not take the word away from where it was. `upper`
/// says whose words bytes 181-240 hold. A word of a map that lies over one that states lengths is reported in `notes`.
[[nodiscard]] std::vector<segy::WordRef> byte_swapped_words(const segy::HeaderMap& map,
                                                            const segy::FileDescription& file, segy::FileKind upper,
                                                            std::vector<std::string>& notes);

}  // namespace sill
