// Whole files through the operations that a user runs on them.
#pragma once

#include <cstddef>
#include <span>

namespace sill::fuzz {

/// Local. Makes a file of `input` (fuzzed_file.hpp), in memory where the system has a folder for that, and describes,
/// scans, checks, sorts, converts, cuts, repairs, edits, merges and compares it and infers its geometry. Throws
/// std::logic_error for a fault: an error of the system about a file that is there, memory out of proportion to it,
/// anything left behind, or an output that is not what was asked for: other traces after a sort or a cut, other samples
/// after a conversion that changes none, a file that does not equal itself.
void feed_survey(std::span<const std::byte> input);

}  // namespace sill::fuzz
