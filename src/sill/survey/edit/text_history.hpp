// What a text header gets: lines from a file, and a line that records what was done.
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

/// Collective. The lines of a text in UTF-8, read by rank 0. Errors: io; usage, with file and line, for a line of more
/// than 80 characters or a control character in it, for no text at all, and for a file beyond 8 MiB.
[[nodiscard]] std::vector<std::string> read_text_lines(const Resources& resources, const std::string& path);

/// Collective. Errors: usage, if a `history` is asked for in a file of a kind that has no text header.
void require_text_header(Communicator& comm, const std::string& history, segy::FileKind kind);

/// Local. Writes each of `what` into a line of a text header that is empty but for its number (C1 to C38; the last two
/// have their own meaning), which it keeps: one below the other behind the last line that holds text, or where first
/// as many are free; or else into those that are free. What is too long is cut and ends with "...". Other lines stay
/// byte for byte. Returns how many found a line. `file` is named in errors. Errors: usage if no line is free or the
/// encoding is unknown. Source: SEG-Y rev 1, clause 3.1: lines C39 and C40.
std::size_t add_history(std::span<std::byte, segy::text_header_bytes> text, segy::TextEncoding encoding,
                        std::span<const std::string> what, const std::string& file);
/// Local. The same of one line.
void add_history(std::span<std::byte, segy::text_header_bytes> text, segy::TextEncoding encoding, std::string_view what,
                 const std::string& file);

}  // namespace sill
