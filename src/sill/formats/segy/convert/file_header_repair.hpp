// Making the bytes before the first trace say what a file was found to be.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/description/file_description.hpp"

namespace sill::segy {

/// A word of the binary header that got another value.
struct WordChange {
  std::string name;
  int byte = 0;  ///< of the file, from 1, a tape label not counted
  int last_byte = 0;
  std::string before;
  std::string after;
};

struct RepairedFileHeader {
  std::vector<std::byte> bytes;
  std::vector<WordChange> changes;  ///< in the order of their bytes; those that only another byte order turns are none
  std::vector<std::string> notes;   ///< what was lost, a sentence each
};

/// Local. The header of the file that `from` describes as that of a file of form `to`, as `convert_file_header`, but
/// for words that may be as they are: a word that leaves open what another states (0 in 3217, 3221, 3269, 3273, 3513,
/// 3521 and 3503; -1 in 3505 and 3529), and a later revision than any that is known, stay where no finding of grade
/// minor or worse names their bytes. So nothing is changed in a sound file. `sets_revision`: that of `to` was asked
/// for. Preconditions and errors: as `convert_file_header`; of a sound file `to` is what `from` is.
[[nodiscard]] RepairedFileHeader repair_file_header(std::span<const std::byte> header, const FileDescription& from,
                                                    const FileForm& to, bool sets_revision);

/// Local. The order of the words of a binary header (its 400 bytes), which need not be that of the traces: the one of
/// `read_as` and the other in which the sample format makes sense; `read_as` if it does in neither.
[[nodiscard]] ByteOrder order_of_file_header(std::span<const std::byte, 400> block, ByteOrder read_as);

}  // namespace sill::segy
