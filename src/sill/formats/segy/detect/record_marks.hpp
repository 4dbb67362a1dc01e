// Files in which marks stand between records: tapes and Fortran programs write them around SEG-Y.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sill/layout/piece_run.hpp"

namespace sill::segy {

/// Reads so many bytes from a byte of a file, from 0, that are inside it.
using ReadBytes = std::function<void(std::int64_t offset, std::span<std::byte> bytes)>;

/// The records of a file without their marks.
struct MarkedRecords {
  std::string name;  ///< "Fortran records", "tape image (TIF)", ...; empty if the file has no marks
  std::vector<PieceRun> records;
  std::int64_t lost_bytes = 0;  ///< at the end of the file, where no whole record follows
};

/// Local. Whether a file that begins so may begin with such a mark.
[[nodiscard]] bool may_begin_with_mark(std::span<const std::byte> head);

/// Local. The records of a file that begins with a marked record of a text header (3200 bytes, 3600 with the binary
/// header, or 128 of a tape label), by one of these marks:
/// - Fortran unformatted: the length in 4 bytes before and after each record, in either order. The same in little
///   order, odd records padded by a byte, are tape images of SIMH, in which a length of 0 is a file mark;
/// - tape images (TIF, TIF8): before each record its type (0, or 1 of a file mark) in 4 bytes, then the places of the
///   mark before and of the next one, in 4 or 8 bytes each, in little order.
/// Where records are of one length, three of them are read for their marks, else all.
[[nodiscard]] MarkedRecords find_marked_records(std::int64_t file_bytes, const ReadBytes& read);

}  // namespace sill::segy
