// Conversion of the bytes before the first trace from one form of SEG-Y file to another.
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
  std::vector<std::string> notes;  ///< information that was lost, one sentence each
};

/// Local. Returns the file header converted to the form `to`. `header` contains the bytes before the first trace of the
/// file that `from` describes. Words are converted to the other byte order, words that the form determines are set, and
/// words that only later revisions define are moved to their shorter equivalents or cleared. Texts are copied byte for
/// byte. A tape label states the new revision. Preconditions: both files are SEG-Y; `require_possible(to)` does not
/// throw. Errors: usage, naming a word that the revision cannot store. Source: SEG-Y rev 2.1, binary file header.
[[nodiscard]] ConvertedFileHeader convert_file_header(std::span<const std::byte> header, const FileDescription& from,
                                                      const FileForm& to);

}  // namespace sill::segy
