// Floats in words of trace headers that the standard gives whole numbers.
#pragma once

#include <span>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/words/binary_header.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill::segy {

/// Local. The words whose bits are plausible floats, IEEE or IBM, in all of `traces` where they are not zero, and no
/// plausible whole numbers: coordinates beyond the Earth, offsets beyond 10^8, numbers of 2^24 and more that end with 8
/// bits of zero. Precondition: byte order, kind and sample format of `description` are known.
[[nodiscard]] std::vector<FloatWord> find_float_words(std::span<const SampledTraceHeader> traces,
                                                      const FileDescription& description);

/// Local. Adds a finding for the words of `file.float_words` that `words`, if given, does not read as floats. Source:
/// SEG-Y rev 1, trace header.
void report_float_words(FileDescription& file, const HeaderMap* words);

}  // namespace sill::segy
