// The positions of traces of different lengths in a file, found by following them with several workers at the same
// time.
#pragma once

#include <cstdint>
#include <optional>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/description/trace_table.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// The traces of a file, and the bytes that remain after the last complete one.
struct TraceIndex {
  segy::TraceTable table;
  std::int64_t remainder_bytes = 0;  ///< number of remaining bytes, before the trailers; 0 in an undamaged file
  /// The shape stated by the header at the beginning of the remainder, which would be trace `table.traces()` (from 0)
  /// and ends after the end of the traces. nullopt if the remainder is shorter than a header.
  std::optional<segy::TraceShape> remainder_shape = {};
};

/// The division of the work; the result does not depend on it.
struct IndexTerms {
  int parts_of_rank = 0;                  ///< segments that each rank follows at the same time; 0: a few for each of
                                          ///< its threads
  std::int64_t min_part_bytes = 4 << 20;  ///< minimum size of a segment; a small file has fewer segments
};

/// Collective. Follows the traces of `file` from the first to the last by their headers, as `TraceShapeRule` reads
/// them, and returns the same index on every rank. `store` is this rank's handle on the file.
///
/// The file is divided into segments, a few for each thread. A thread follows its segments alternately, so that it
/// waits for several positions in memory at the same time. In each segment except the first, a position is guessed at
/// which a trace begins, and traces are followed from there. Then the segments are joined in order. If the traces of
/// the previous segment lead to a position on the chain of the next segment, that chain is right from that position to
/// its end. Otherwise the traces are followed until they meet the chain, or through the complete segment. A wrong guess
/// costs only time.
///
/// Reads the bytes `TraceShapeRule::needed_bytes` of every trace, and up to 1 MiB per segment for its guess. Needs 24
/// bytes for each change of shape, twice that during the construction. Errors: io.
[[nodiscard]] TraceIndex index_traces(const Resources& resources, Store& store, const segy::FileDescription& file,
                                      const IndexTerms& terms = {});

/// Local. Returns the index for a known table, with the remainder of the file after it. Errors: io.
[[nodiscard]] TraceIndex index_of(segy::TraceTable table, Store& store, const segy::FileDescription& file);

}  // namespace sill
