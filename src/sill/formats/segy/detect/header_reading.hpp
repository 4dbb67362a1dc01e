// Reading of the binary header: byte order, revision, and the sizes that follow from its words.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/formats/segy/words/binary_header.hpp"

namespace sill::segy {

/// Local. Reads the words of the 400 bytes `block`, returns them, and describes the file accordingly: byte order,
/// revision, sample format, samples, interval, additional headers, bytes per trace; with findings and evidence.
/// Precondition: `file` contains its path, size, tape label and the encoding of its text header. Errors: input, if the
/// bytes are not a binary header, or if the sample format is unknown and the user does not assume one.
[[nodiscard]] BinaryHeader read_file_header(std::span<const std::byte, 400> block, const Assumptions& assume,
                                            FileDescription& file);

/// Local. Returns the byte order that the constant at bytes 3297-3300 states, or nullopt if the constant is not
/// present. The revision of the file does not matter; but if the user assumes a revision before 2, which does not
/// define the constant, the result is nullopt. Source: docs/adr/0037.
[[nodiscard]] std::optional<ByteOrder> stated_byte_order(std::span<const std::byte, 400> block,
                                                         const Assumptions& assume);

/// Local. Adds a finding about bytes of the binary header, with the clause of the standard that defines them.
void report_bytes(FileDescription& file, Grade grade, std::string problem, int byte, int last_byte, std::string action);

}  // namespace sill::segy
