// Which header words stand above the traces of a section, and where gathers begin.
#pragma once

#include "sill/formats/segy/words/header_map.hpp"
#include "sill/view/section.hpp"

namespace sill::view {

/// Local. Sets the words to be read of each shown trace: first those of `top`, whose number becomes `top_words`, then
/// what people look for, as far as the map has them; "trace", its number, is always among them. Errors: usage.
void choose_words(Section& section, const segy::HeaderMap& map, const SectionRequest& request);

/// Local. Sets where gathers begin, and brings the words of the axis on top to the front of the section's words: those
/// of `top`, or the word of the gathers, if there are several, and the word that varies from trace to trace.
void choose_axis(Section& section, const SectionRequest& request);

}  // namespace sill::view
