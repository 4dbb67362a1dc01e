// Asks the system to fetch bytes of a file into the page cache before they are read.
#pragma once

#include <span>

#include "sill/layout/range.hpp"

namespace sill {

/// Local. Asks the system to start fetching `ranges`, without waiting. Does nothing if a sample of the ranges is
/// already in the page cache: the advice costs as much as reading a trace header from the cache.
void fetch_unless_cached(int descriptor, std::span<const ByteRange> ranges);

}  // namespace sill
