// What in the headers of a file is not as the standard has it.
#pragma once

#include <span>

#include "sill/formats/segy/binary_header.hpp"
#include "sill/formats/segy/file_description.hpp"

namespace sill::segy {

/// Local. What the binary header holds that is odd but does not keep the file from being read.
/// `revision` is 0 or 1, as the file is read.
void check_binary_header(const BinaryHeader& binary, int revision, FileDescription& description);

/// Local. What the sampled trace headers say other than the binary header, and scalars that are no legal ones.
void check_trace_headers(std::span<const SampledTraceHeader> traces, const BinaryHeader& binary, int revision,
                         FileDescription& description);

}  // namespace sill::segy
