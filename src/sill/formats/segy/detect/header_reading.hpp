// What the binary header states of a file: its byte order, its revision, and the sizes that follow from its words.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/formats/segy/words/binary_header.hpp"

namespace sill::segy {

/// Local. Reads the words of the 400 bytes `block` and describes the file by them: byte order, revision, sample format,
/// samples, interval, additional headers, bytes of a trace; with findings and evidence. `file` knows its path, size,
/// tape label and the encoding of its text header. Errors: input, if the bytes are no binary header, or its sample
/// format is unknown and not assumed.
[[nodiscard]] BinaryHeader read_file_header(std::span<const std::byte, 400> block, const Assumptions& assume,
                                            FileDescription& file);

/// Local. The order that the constant at bytes 3297-3300 states, in a file of any revision, as long as the user assumes
/// none that has no such constant; nothing if it is not there. Source: docs/adr/0037.
[[nodiscard]] std::optional<ByteOrder> stated_byte_order(std::span<const std::byte, 400> block,
                                                         const Assumptions& assume);

/// Local. Adds a finding about bytes of the binary header, with the clause that they have.
void report_bytes(FileDescription& file, Grade grade, std::string problem, int byte, int last_byte, std::string action);

}  // namespace sill::segy
