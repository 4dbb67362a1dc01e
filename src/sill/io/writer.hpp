// Writing a SEG-Y file in parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sill/io/output_file.hpp"
#include "sill/io/resources.hpp"
#include "sill/layout/item_list.hpp"

namespace sill {

/// A SEG-Y file of equal traces: the bytes before the first trace, then the traces. The bytes are the caller's: text
/// header, binary header, extended text headers; each trace its header and samples, in the file's byte order.
class Writer {
 public:
  /// Whether the space of the file is taken at once, so that a full disk is noticed before the work, or as it is
  /// written.
  enum class Space { at_once, as_written };

  /// Collective. `traces.first_byte` is the size of what comes before the first trace. Every byte must then be written
  /// exactly once. `resources` outlive the writer. Errors: io.
  Writer(const Resources& resources, const std::string& target, const ItemList& traces, Space space = Space::at_once);

  /// Collective. Writes the bytes before the first trace; those of rank 0 count. Errors: io; usage if rank 0 does not
  /// bring `traces.first_byte` bytes.
  void write_header(std::span<const std::byte> header);

  /// Collective. Every rank writes its `traces` (from 0) from `bytes`; ranges of ranks are disjoint and may be empty.
  /// Errors: io; usage if the ranges overlap or do not fit the file or `bytes`.
  void write(ItemRange traces, std::span<const std::byte> bytes);

  /// Local. Where the traces lie in the file, and this rank's handle on it, for a permutation.
  [[nodiscard]] const ItemList& trace_list() const { return traces_; }
  [[nodiscard]] Store& store() { return file_.store(); }
  /// Local. What writes for all ranks.
  [[nodiscard]] Mover& mover() { return file_.mover(); }

  /// Collective. Completes the file. Errors: as OutputFile::finish.
  void finish() { file_.finish(); }

 private:
  const Resources& resources_;
  ItemList traces_;
  OutputFile file_;
};

}  // namespace sill
