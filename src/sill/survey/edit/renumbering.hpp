// Renumbers traces from 1 in file order: bytes 1-4, 5-8 and 25-28 of the trace header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "sill/layout/range.hpp"

namespace sill {

/// The bytes of a trace header, from 0, that renumbering sets, and the bytes of the ensemble number, which it reads.
inline constexpr ByteRange sequence_number_bytes{0, 8};
inline constexpr ByteRange number_in_ensemble_bytes{24, 4};
inline constexpr ByteRange ensemble_number_bytes{20, 4};
inline constexpr std::int64_t renumbered_bytes = 28;  ///< number of header bytes from byte 1 to the last byte that is
                                                      ///< set

/// Local. Sets the trace sequence numbers within the line (bytes 1-4) and within the file (bytes 5-8) to `in_file`, and
/// the number within the ensemble (bytes 25-28) to `in_ensemble`. `header` is the address of byte 1. Errors: input,
/// without a position, for numbers that exceed the words.
/// Source: SEG-Y rev 1, trace header bytes 1-8 and 25-28: each file and each ensemble start with one.
void renumber(std::byte* header, ByteOrder order, std::int64_t in_file, std::int64_t in_ensemble);

/// A run of consecutive traces with the same ensemble number (bytes 21-24 of the trace header): an ensemble, or its
/// first traces.
struct EnsembleRun {
  std::int64_t ensemble = 0;
  std::int64_t traces = 0;

  /// Local. Adds the next trace, which may begin another run; returns its number within its ensemble, from 1.
  std::int64_t add(std::int32_t ensemble_of_trace) {
    traces = traces > 0 && ensemble == ensemble_of_trace ? traces + 1 : 1;
    ensemble = ensemble_of_trace;
    return traces;
  }
};

/// The first and the last ensemble of a range of consecutive traces.
struct EnsembleEnds {
  std::int64_t traces = 0;
  std::int64_t first_ensemble = 0;  ///< ensemble number of the first trace
  EnsembleRun last;                 ///< the run at the end of the traces

  void add(std::int32_t ensemble) {
    last.add(ensemble);
    if (traces++ == 0) first_ensemble = ensemble;
  }
  /// Local. Returns the run at the end of these traces if they follow `before`.
  [[nodiscard]] EnsembleRun after(const EnsembleRun& before) const {
    if (traces == 0) return before;
    const bool continues = last.traces == traces && before.traces > 0 && before.ensemble == first_ensemble;
    return {last.ensemble, last.traces + (continues ? before.traces : 0)};
  }
};

/// Local. Returns the ends of the range of traces that consists of two consecutive ranges.
[[nodiscard]] EnsembleEnds joined(const EnsembleEnds& first, const EnsembleEnds& second);

/// Collective. Returns the last ensemble of the traces of all lower ranks, which precede the traces of this rank.
/// `own` describes the traces of this rank.
[[nodiscard]] EnsembleRun run_before(Communicator& comm, const EnsembleEnds& own);

/// Sets `starts[i]` to the byte of the file where trace `traces.first + i` begins. Called for consecutive ranges.
using TraceStarts = std::function<void(ItemRange traces, std::span<std::int64_t> starts)>;

/// Collective. Renumbers the traces of one file that were written to `writer`, before it is finished. This rank
/// renumbers `own`, counted from 0 in the file. The traces of the ranks follow one another in rank order, and the
/// traces of each rank are in ascending order in the file. `starts_from_first` returns a function that yields the start
/// bytes of the rank's traces, in order from the first. Headers less than 16 KiB apart are read and written with the
/// bytes between them, up to 1 MiB at once. Uses 2 MiB per thread. Errors: io; input for numbers that exceed the words.
void renumber_written(const Resources& resources, SurveyWriter& writer, ItemRange own,
                      const std::function<TraceStarts()>& starts_from_first, ByteOrder order);

/// Collective. Renumbers the `traces` traces of a writer that knows their positions; each rank renumbers the traces it
/// has written.
void renumber_written(const Resources& resources, SurveyWriter& writer, std::int64_t traces, ByteOrder order);

}  // namespace sill
