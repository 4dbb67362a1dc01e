// Letting the system fetch bytes of a file into the page cache before they are read.
#pragma once

#include <span>

#include "sill/layout/range.hpp"

namespace sill {

/// Local. Lets the system begin to fetch `ranges`, and does not wait for it. Nothing is done where some of them, spread
/// over all, are in the page cache: advice costs as much as reading a trace header from there.
void fetch_unless_cached(int descriptor, std::span<const ByteRange> ranges);

}  // namespace sill
