// Reading the same bytes of each of many traces.
#pragma once

#include <cstddef>

#include "sill/formats/segy/description/trace_table.hpp"
#include "sill/layout/range.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// Local. Reads the bytes `part`, counted from the first byte of a trace, of each of `traces` into consecutive memory
/// of `traces.count * part.length` bytes. Long stretches of traces of one shape are read with strided requests. If
/// shapes change often, each trace leads to the next, if the store follows links. Preconditions: the traces exist;
/// `part` is within each and is not empty. Errors: io.
void read_trace_parts(Store& store, const segy::TraceTable& table, ItemRange traces, ByteRange part, std::byte* into);

}  // namespace sill
