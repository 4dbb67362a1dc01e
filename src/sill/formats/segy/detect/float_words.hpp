// Detection of floats in words of trace headers that the standard defines as integers.
#pragma once

#include <span>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/words/binary_header.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill::segy {

/// Local. Returns the words whose bits are plausible floats, IEEE or IBM, in every one of `traces` in which the word is
/// not zero, and that are not plausible integers: coordinates larger than the Earth, offsets above 10^8, numbers of at
/// least 2^24 whose last 8 bits are zero. Precondition: byte order, kind and sample format of `description` are known.
[[nodiscard]] std::vector<FloatWord> find_float_words(std::span<const SampledTraceHeader> traces,
                                                      const FileDescription& description);

/// Local. Adds a finding for the words of `file.float_words` that the map `words`, if given, does not define as floats.
/// Source: SEG-Y rev 1, trace header.
void report_float_words(FileDescription& file, const HeaderMap* words);

}  // namespace sill::segy
