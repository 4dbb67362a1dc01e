// Words for which the text header states bytes that differ from the standard.
#pragma once

#include <span>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/byte_labels.hpp"
#include "sill/formats/segy/words/binary_header.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill::segy {

/// Local. Returns the positions of words that `labels`, the labels of the text header, state, unless a line states the
/// standard position of the word. If several positions are stated for a word, the last one in the trace header is used.
/// `order` is the byte order of `traces`.
[[nodiscard]] std::vector<TextWord> find_text_words(std::span<const ByteLabel> labels,
                                                    std::span<const SampledTraceHeader> traces, ByteOrder order);

/// Local. Adds a finding for the words of `file.text_words` that `words`, if given, reads at their standard positions,
/// although the positions in the text header contain different numbers.
void report_text_words(FileDescription& file, const HeaderMap* words);

/// Local. Returns the words as a layer of a map, which `--map text` applies.
[[nodiscard]] std::vector<LayerWord> layer_of(std::span<const TextWord> words);

}  // namespace sill::segy
