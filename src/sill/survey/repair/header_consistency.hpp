// The treatment of trace headers that contradict the file in a repair: set, leave, or refuse.
#pragma once

#include <cstdint>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/survey/repair/repair_options.hpp"
#include "sill/survey/repair/stated_lengths.hpp"

namespace sill {

/// Information about the file that is repaired.
struct RepairContext {
  const segy::FileDescription& file;
  const segy::Assumptions& assume;
  std::int64_t whole_traces = 0;
  std::int64_t traces = 0;  ///< number of traces of the output
  bool was_cut = false;     ///< the file does not end with a complete trace
};

/// Local. Adds to `result` the words that will be set and the contradicting words that remain. Errors: input, if a
/// contradicting header may not be a header, because bytes are missing before it, or if nothing states which of two
/// intervals is right. Sources: SEG-Y rev 1, bytes 3217-3218, trace header bytes 115-118.
void evaluate_stated(const RepairContext& context, const StatedLengths& shapes, const StatedLengths::Found& found,
                     RepairResult& result);

}  // namespace sill
