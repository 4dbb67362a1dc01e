// Whether traces state the length that they are read with.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// Compares the numbers of samples and additional headers that trace headers state with those that the file was read
/// with. A header that states none (0) has those of the binary header.
///
/// Where the file promises one length (or is of revision 0), that counts, and traces that state another are counted.
/// Where it does not, traces that contradict one another cannot be distinguished. Seismic Unix files have nothing but
/// their traces to state it, of which the probe saw three: they promise nothing. Where lengths vary, every trace must
/// still be as the index has it, and, if they are written behind its header, as it would be read in the first file:
/// what it leaves to the file header must be the same there. Sources: SEG-Y rev 1, bytes 3503-3504; docs/adr/0010.
class LengthCheck {
 public:
  /// Local. `reader` outlives it.
  explicit LengthCheck(const SurveyReader& reader, bool behind_first_header = true);

  /// Local. `bytes[i]` is the first byte of trace `traces[i]` (counted through). May be called by several threads.
  /// Errors: input, at the trace, as above.
  void see(std::span<const std::int64_t> traces, std::span<const std::byte* const> bytes);

  /// Local. How many traces state another length than the one that counts.
  [[nodiscard]] std::int64_t deviating() const { return deviating_; }

 private:
  const SurveyReader& reader_;
  bool behind_first_header_;
  std::vector<segy::TraceShapeRule> rules_;  // of each file
  std::atomic<std::int64_t> deviating_{0};
};

}  // namespace sill
