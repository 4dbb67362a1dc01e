// What a repair does about trace headers that contradict the file: sets, leaves, or refuses.
#pragma once

#include <cstdint>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/survey/repair/repair_options.hpp"
#include "sill/survey/repair/stated_lengths.hpp"

namespace sill {

/// What else is known of the file.
struct RepairContext {
  const segy::FileDescription& file;
  const segy::Assumptions& assume;
  std::int64_t whole_traces = 0;
  std::int64_t traces = 0;  ///< of the output
  bool was_cut = false;     ///< it does not end with a whole trace
};

/// Local. Adds to `result` what will be set and what is left. Errors: input, where what contradicts may be no header,
/// because bytes are missing before it, and where nothing states which of two intervals is right.
/// Sources: SEG-Y rev 1, bytes 3217-3218, trace header bytes 115-118.
void evaluate_stated(const RepairContext& context, const StatedLengths& shapes, const StatedLengths::Found& found,
                     RepairResult& result);

}  // namespace sill
