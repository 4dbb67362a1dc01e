// New lines of a text header: lines from a file, and a line that records a processing step.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/text/text_header.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Collective. Returns the lines of a UTF-8 text file, which rank 0 reads. Errors: io; usage, with file and line, for a
/// line of more than 80 characters or with a control character, for an empty text, and for a file of more than 8 MiB.
[[nodiscard]] std::vector<std::string> read_text_lines(const Resources& resources, const std::string& path);

/// Collective. Checks that a file of `kind` can store `history`. Errors: usage, if `history` is not empty and the kind
/// has no text header.
void require_text_header(Communicator& comm, const std::string& history, segy::FileKind kind);

/// Local. Writes each entry of `what` into an empty line of a text header. An empty line contains only its number (C1
/// to C38; the last two lines have a fixed meaning), which is retained. The entries are written one below the other:
/// after the last line that contains text, or else at the first run of enough empty lines, or else in any empty lines.
/// An entry that is too long is cut and ends with "...". Other lines stay the same byte for byte. Returns the number of
/// entries written. `file` is named in errors. Errors: usage if no line is empty or the encoding is unknown. Source:
/// SEG-Y rev 1, clause 3.1: lines C39 and C40.
std::size_t add_history(std::span<std::byte, segy::text_header_bytes> text, segy::TextEncoding encoding,
                        std::span<const std::string> what, const std::string& file);
/// Local. Writes the single entry `what`, as the other `add_history` does.
void add_history(std::span<std::byte, segy::text_header_bytes> text, segy::TextEncoding encoding, std::string_view what,
                 const std::string& file);

}  // namespace sill
