// Repair of the bytes before the first trace so that they match the detected properties of the file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/description/file_description.hpp"

namespace sill::segy {

/// A word of the binary header whose value was changed.
struct WordChange {
  std::string name;
  int byte = 0;  ///< first byte in the file, from 1, without a tape label
  int last_byte = 0;
  std::string before;
  std::string after;
};

struct RepairedFileHeader {
  std::vector<std::byte> bytes;
  std::vector<WordChange> changes;  ///< in order of their bytes, without words that differ only in byte order
  std::vector<std::string> notes;   ///< information that was lost, one sentence each
};

/// Local. Returns the header of the file that `from` describes, converted to the form `to` as `convert_file_header`
/// does, except that valid words are not changed: a word that leaves a property open which another word states (0 at
/// byte 3217, 3221, 3269, 3273, 3503, 3513 or 3521; -1 at byte 3505 or 3529), and a revision later than all known ones,
/// are preserved unless a finding of grade minor or worse names their bytes. So a valid file is not changed.
/// `sets_revision`: the user requested the revision of `to`. Preconditions and errors: as `convert_file_header`; for a
/// valid file `to` has the same properties as `from`.
[[nodiscard]] RepairedFileHeader repair_file_header(std::span<const std::byte> header, const FileDescription& from,
                                                    const FileForm& to, bool sets_revision);

/// Local. Returns the byte order of the words of a binary header (its 400 bytes), which may differ from the order of
/// the traces: the opposite of `read_as` if the sample format makes sense only in that order; otherwise `read_as`.
[[nodiscard]] ByteOrder order_of_file_header(std::span<const std::byte, 400> block, ByteOrder read_as);

}  // namespace sill::segy
