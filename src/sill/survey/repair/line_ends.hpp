// A file that was copied as text, which puts a carriage return before each line feed: counting and undoing it.
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
  /// Collective. Reads the whole file once, a few MB per thread at a time. `resources` and `store` outlive it. Errors:
  /// io.
  LineEnds(const Resources& resources, Store& store, std::int64_t file_bytes);

  /// Line feeds after a carriage return.
  [[nodiscard]] std::int64_t pairs() const { return pairs_; }
  /// The first byte, from 0, that is a line feed without a carriage return before it; -1 if there is none.
  [[nodiscard]] std::int64_t first_lone_byte() const { return first_lone_byte_; }

  /// Collective. Writes the file without the carriage returns that stand before line feeds to `out`, which has so many
  /// bytes less. Errors: io.
  void undo(OutputFile& out) const;

 private:
  [[nodiscard]] ByteRange piece(std::int64_t index) const;

  const Resources& resources_;
  Store& store_;
  std::int64_t file_bytes_;
  ByteRange own_;                               // of this rank
  std::vector<std::int64_t> removed_of_piece_;  // in each piece of it
  std::int64_t removed_before_ = 0;             // in the blocks of lower ranks
  std::int64_t pairs_ = 0;
  std::int64_t first_lone_byte_ = -1;
};

}  // namespace sill
