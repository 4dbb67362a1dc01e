// A view of the headers of one trace, which keys and expressions read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sill/base/byte_order.hpp"

namespace sill::segy {

/// The headers of a trace in memory, and the number of the trace. `header` is the address that byte 1 of the trace has
/// or would have: only the bytes that the reader needs must be in memory.
struct HeaderView {
  const std::byte* header = nullptr;
  ByteOrder order = ByteOrder::big;
  int file = 1;            ///< number of the trace's file, from 1
  std::int64_t trace = 1;  ///< number of the trace, from 1, counted across all files
  /// The row of a table that belongs to the trace, for expressions that were parsed with columns of this table: each
  /// value is an integer or the bits of a double.
  const std::int64_t* columns = nullptr;
};

}  // namespace sill::segy
