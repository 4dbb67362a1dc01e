// Selects the header words shown above the traces of a section, and finds where gathers begin.
#pragma once

#include "sill/formats/segy/words/header_map.hpp"
#include "sill/view/section.hpp"

namespace sill::view {

/// Local. Sets the words to read of each shown trace: first the words of `top`, whose number becomes `top_words`, then
/// the words of the request's gather and location, then the common words that the map contains. "trace", the trace
/// number, is always included. Errors: usage.
void choose_words(Section& section, const segy::HeaderMap& map, const SectionRequest& request);

/// Local. Sets where gathers begin, and moves the words of the axis above the section to the front of the section's
/// words: the words of `top`, or else the word of the gathers, if there are several gathers, and the word that varies
/// from trace to trace.
void choose_axis(Section& section, const SectionRequest& request);

}  // namespace sill::view
