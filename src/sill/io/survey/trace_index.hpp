// Where the traces of a file lie whose traces differ in length: found by following them, several workers at once.
#pragma once

#include <cstdint>
#include <optional>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/description/trace_table.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// The traces of a file and what is left after the last whole one.
struct TraceIndex {
  segy::TraceTable table;
  std::int64_t remainder_bytes = 0;  ///< before the trailers; 0 in a sound file
  /// What the header states with which the remainder begins, as trace `table.traces()` (from 0): it reaches beyond the
  /// end of the traces. Nothing if not even a header remains.
  std::optional<segy::TraceShape> remainder_shape = {};
};

/// How the work is divided; the result does not depend on it.
struct IndexTerms {
  int parts_of_rank = 0;                  ///< that each rank follows at once; 0: a few for each of its threads
  std::int64_t min_part_bytes = 4 << 20;  ///< of the file; a small file has fewer parts
};

/// Collective. Follows the traces of `file` from the first to the last by their own headers, as `TraceShapeRule` reads
/// them, and gives every rank the same index. `store` is this rank's handle on the file.
///
/// The file is cut into parts, a few for each thread, which a thread follows alternately, so that it waits for several
/// places in memory at once. In each part but the first, a place is guessed at which a trace begins, and traces are
/// followed from there. Then the parts are joined in order: if the traces of the part before lead to a place on the
/// chain of the next part, that chain is right from there on; otherwise they are followed until they meet it, or
/// through the whole part. A wrong guess costs time and nothing else.
///
/// Reads what `TraceShapeRule::needed_bytes` names of every trace, and up to 1 MiB a part for its guess. Holds 24 bytes
/// for each change of shape, twice while it is built.
/// Errors: io.
[[nodiscard]] TraceIndex index_traces(const Resources& resources, Store& store, const segy::FileDescription& file,
                                      const IndexTerms& terms = {});

/// Local. An index of a table that is known: what is left of the file after it. Errors: io.
[[nodiscard]] TraceIndex index_of(segy::TraceTable table, Store& store, const segy::FileDescription& file);

}  // namespace sill
