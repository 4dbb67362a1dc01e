// Files with marks between their records, as tapes and Fortran programs write them around SEG-Y.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sill/layout/piece_run.hpp"

namespace sill::segy {

/// Reads `bytes.size()` bytes at `offset` (from 0) of a file. Precondition: the bytes are inside the file.
using ReadBytes = std::function<void(std::int64_t offset, std::span<std::byte> bytes)>;

/// The records of a file without their marks.
struct MarkedRecords {
  std::string name;  ///< "Fortran records", "tape image (TIF)", ...; empty if the file has no marks
  std::vector<PieceRun> records;
  std::int64_t lost_bytes = 0;  ///< bytes at the end of the file that are not a complete record
};

/// Local. Returns true if a file with these first bytes may begin with a mark of Fortran or of a tape image.
[[nodiscard]] bool may_begin_with_mark(std::span<const std::byte> head);

/// Local. Returns the records of a file that begins with a marked record of a text header (3200 bytes, 3600 with the
/// binary header, or 128 of a tape label), with one of these kinds of marks:
/// - Fortran unformatted: the length in 4 bytes before and after each record, in either byte order. In little order the
///   same marks, with odd records padded by a byte, are tape images of SIMH, in which a length of 0 is a file mark;
/// - tape images (TIF, TIF8): before each record its type (0, or 1 for a file mark) in 4 bytes, then the positions of
///   the previous and of the next mark, in 4 or 8 bytes each, in little order.
/// All marks are read, except that after four equally spaced records of one length only three of the remaining such
/// records are checked.
[[nodiscard]] MarkedRecords find_marked_records(std::int64_t file_bytes, const ReadBytes& read);

}  // namespace sill::segy
