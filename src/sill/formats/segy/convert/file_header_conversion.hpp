// Turning the bytes before the first trace from one form of SEG-Y file into another.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/description/file_description.hpp"

namespace sill::segy {

/// The bytes before the first trace of an output.
struct ConvertedFileHeader {
  std::vector<std::byte> bytes;
  std::vector<std::string> notes;  ///< what was lost, a sentence each
};

/// Local. The header of the file that `from` describes, whose bytes before the first trace are `header`, as that of a
/// file of form `to`: words in the other byte order, what the form determines set, what only later revisions have moved
/// to its short twin or cleared. Texts are carried byte for byte. A tape label states the new revision.
/// Preconditions: both are SEG-Y; `require_possible(to)`. Errors: usage, naming a word that the revision cannot hold.
/// Source: SEG-Y rev 2.1, binary file header.
[[nodiscard]] ConvertedFileHeader convert_file_header(std::span<const std::byte> header, const FileDescription& from,
                                                      const FileForm& to);

}  // namespace sill::segy
