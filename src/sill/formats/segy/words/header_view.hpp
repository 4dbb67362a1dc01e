// The headers of one trace, as keys and expressions look at them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sill/base/byte_order.hpp"

namespace sill::segy {

/// Where a trace's headers lie in memory, and which trace it is. `header` is the address its byte 1 has or would have:
/// only the bytes that were asked for need be there.
struct HeaderView {
  const std::byte* header = nullptr;
  ByteOrder order = ByteOrder::big;
  int file = 1;            ///< number of the trace's file, from 1
  std::int64_t trace = 1;  ///< number of the trace, from 1, counted through all files
  /// The trace's row of a table, for expressions that were read with its columns: whole numbers, or bits of doubles.
  const std::int64_t* columns = nullptr;
};

}  // namespace sill::segy
