// Selects the header words shown above the traces of a section, and finds where gathers begin.
#pragma once

#include <string>
#include <string_view>

#include "sill/formats/segy/words/header_map.hpp"
#include "sill/view/section.hpp"

namespace sill::view {

/// Local. Sets the words to read of each shown trace: first the words of `top`, whose number becomes `top_words`, then
/// the words of the request's gather and location, then the common words that the map contains. "trace", the trace
/// number, is always included. Errors: usage.
void choose_words(Section& section, const segy::HeaderMap& map);

/// Local. Returns the unit of lengths by the measurement system of a file, bytes 3255-3256: "m", "ft", or an empty text
/// if the file does not state it.
[[nodiscard]] constexpr std::string_view length_unit_of(int measurement_system) {
  return measurement_system == 1 ? "m" : measurement_system == 2 ? "ft" : "";
}

/// Local. Returns the unit of WORD or true(WORD) in a file, or an empty text for other expressions, for words without a
/// unit or with one that the file does not state, and for scaled words without their scalar.
[[nodiscard]] std::string unit_of(std::string_view expression, const segy::HeaderMap& map,
                                  const segy::FileDescription& file);

/// Local. Sets where gathers begin, and moves the words of the axis above the section to the front of the section's
/// words: the words of `top`, or else the word of the gathers (the inline number, if it changes together with
/// that word), if there are several gathers, and the word that varies
/// from trace to trace.
void choose_axis(Section& section);

}  // namespace sill::view
