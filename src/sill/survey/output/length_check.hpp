// Checks that traces state the length that they are read with.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// Compares the numbers of samples and additional headers that trace headers state with the numbers that the file was
/// read with. A header that states none (0) has the numbers of the binary header.
///
/// If the file promises one length (or is of revision 0), that length applies, and traces that state another length are
/// counted. If the file does not promise one length, traces that contradict one another are an error, because it is not
/// known which of them are right. In Seismic Unix files only the traces state the length, and only three of them were
/// read when the file was opened: such files promise nothing. If lengths vary, every trace must still match the index.
/// If such traces are written after the header of the first file, they must also be read the same way with that header:
/// where a trace leaves its number of samples to the file header, both headers must state the same number. Sources:
/// SEG-Y rev 1, bytes 3503-3504; docs/adr/0010.
class LengthCheck {
 public:
  /// Local. Checks traces of `reader`, which must outlive this object. `behind_first_header`: the traces are written
  /// after the header of the first file.
  explicit LengthCheck(const SurveyReader& reader, bool behind_first_header = true);

  /// Local. Checks traces; `bytes[i]` is the first byte of trace `traces[i]` (numbered through all files). May be
  /// called by several threads. Errors: input, at the trace, if the length that a trace states contradicts the other
  /// traces or the index.
  void see(std::span<const std::int64_t> traces, std::span<const std::byte* const> bytes);

  /// Local. As above, for one trace.
  void see(std::int64_t trace, const std::byte* bytes) { see({&trace, 1}, {&bytes, 1}); }

  /// Local. Returns the bytes of a trace that `see` reads, counted from its first byte.
  [[nodiscard]] ByteRange needed_bytes() const;

  /// Local. Returns the number of traces that state a different length than the one that applies.
  [[nodiscard]] std::int64_t deviating() const { return deviating_; }

 private:
  const SurveyReader& reader_;
  bool behind_first_header_;
  std::vector<segy::TraceShapeRule> rules_;  // of each file
  std::atomic<std::int64_t> deviating_{0};
};

}  // namespace sill
