// Detection of the axis of the samples, and of the units of lengths and coordinates.
#pragma once

#include <cstddef>
#include <span>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/formats/segy/detect/byte_labels.hpp"
#include "sill/formats/segy/words/binary_header.hpp"

namespace sill::segy {

/// Local. Sets the domain, the unit of length and the unit of coordinates, each with its evidence, and reports
/// contradictions. Header words determine the result, unless the user assumes a domain; statements of the text header
/// are only reported. `text` is the text header, empty for Seismic Unix data; `labels` are its `byte_labels`. Sources:
/// SEG-Y rev 1, bytes 3255-3256 and trace header bytes 89-90; Seismic Unix, segy.h (trid).
void find_units(std::span<const std::byte> text, std::span<const ByteLabel> labels,
                std::span<const SampledTraceHeader> traces, const Assumptions& assume, FileDescription& file);

/// Local. Returns the largest magnitude of a coordinate in a unit of angles (2 to 4 of trace header bytes 89-90): a
/// full turn. Returns infinity for other units.
[[nodiscard]] double whole_turn(int coordinate_unit);

}  // namespace sill::segy
