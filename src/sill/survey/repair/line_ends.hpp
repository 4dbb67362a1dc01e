// Counts and removes the carriage returns of a file that was copied in text mode, which inserts one before each line
// feed.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/output_file.hpp"
#include "sill/layout/range.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// The line ends of a file, counted by all ranks, each in its block of the bytes.
class LineEnds {
 public:
  /// Collective. Reads the complete file once, a few MB per thread at a time. `resources` and `store` must outlive this
  /// object. Errors: io.
  LineEnds(const Resources& resources, Store& store, std::int64_t file_bytes);

  /// Local. Returns the number of line feeds preceded by a carriage return.
  [[nodiscard]] std::int64_t pairs() const { return pairs_; }
  /// Local. Returns the first byte, from 0, that is a line feed not preceded by a carriage return; -1 if there is none.
  [[nodiscard]] std::int64_t first_lone_byte() const { return first_lone_byte_; }

  /// Collective. Writes the file to `out` without the carriage returns that precede line feeds. Precondition: `out` is
  /// smaller than the file by `pairs()` bytes. Errors: io.
  void undo(OutputFile& out) const;

 private:
  [[nodiscard]] ByteRange piece(std::int64_t index) const;

  const Resources& resources_;
  Store& store_;
  std::int64_t file_bytes_;
  ByteRange own_;                               // of this rank
  std::vector<std::int64_t> removed_of_piece_;  // in each piece of the rank's bytes
  std::int64_t removed_before_ = 0;             // in the blocks of lower ranks
  std::int64_t pairs_ = 0;
  std::int64_t first_lone_byte_ = -1;
};

}  // namespace sill
