// Words that the text header puts at other bytes than the standard does.
#pragma once

#include <span>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/byte_labels.hpp"
#include "sill/formats/segy/words/binary_header.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill::segy {

/// Local. What `labels`, those of the text header, say about the places of words, where no line of it has the word at
/// its standard place; of several places of one word the last in the trace header. `order` is that of `traces`.
[[nodiscard]] std::vector<TextWord> find_text_words(std::span<const ByteLabel> labels,
                                                    std::span<const SampledTraceHeader> traces, ByteOrder order);

/// Local. Adds a finding for the words of `file.text_words` that `words`, if given, reads at their standard places,
/// though other numbers lie at those that the text header names.
void report_text_words(FileDescription& file, const HeaderMap* words);

/// Local. The same words as a layer of a map: what `--map text` takes.
[[nodiscard]] std::vector<LayerWord> layer_of(std::span<const TextWord> words);

}  // namespace sill::segy
