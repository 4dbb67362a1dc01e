// Finding out what the samples of a file lie along, and what its lengths and coordinates are measured in.
#pragma once

#include <cstddef>
#include <span>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/formats/segy/detect/byte_labels.hpp"
#include "sill/formats/segy/words/binary_header.hpp"

namespace sill::segy {

/// Local. `labels`: byte_labels of the text header. Tells domain, unit of length and unit of coordinates, each with its
/// evidence, and reports what contradicts. Words count; what the text header states is reported, but decides nothing;
/// what is assumed does. `text` is the text header, empty for Seismic Unix data. Sources: SEG-Y rev 1, bytes 3255-3256
/// and trace header bytes 89-90; Seismic Unix, segy.h (trid).
void find_units(std::span<const std::byte> text, std::span<const ByteLabel> labels,
                std::span<const SampledTraceHeader> traces, const Assumptions& assume, FileDescription& file);

/// Local. The largest value that a coordinate in a unit of angles (2 to 4 of trace header bytes 89-90) can have without
/// regard to its sign: a whole turn. Infinite for other units.
[[nodiscard]] double whole_turn(int coordinate_unit);

}  // namespace sill::segy
