// Passes all traces of a survey, in order, through an operation that transforms the bytes of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/io/survey/survey_writer.hpp"

namespace sill {

/// The items to pass, numbered from 0: traces, or groups of traces that are processed together.
struct TraceSource {
  std::int64_t traces = 0;
  std::int64_t longest_trace_bytes = 0;
  std::function<std::int64_t(ItemRange)> bytes_of;                 ///< size of traces, headers and samples, in bytes
  std::function<void(ItemRange, std::span<std::byte> into)> read;  ///< complete traces; called by several threads
  /// The traces that this rank passes; if not set, its block of `traces`.
  std::optional<ItemRange> own = {};
  /// Returns the bytes of the output that consecutive traces are written to; if not set, the bytes of the writer's
  /// traces.
  std::function<ByteRange(ItemRange)> place_of = {};
  /// Number of bytes that a thread reads at once, at least one item. With the default, input and output stay in the
  /// cache of a core.
  std::int64_t chunk_bytes = 512 << 10;
};

/// Transforms the bytes `in` of `traces` of the input into the bytes `out` of the same traces of the output. Called by
/// several threads concurrently, once for each trace. May throw.
using TraceTransform =
    std::function<void(ItemRange traces, std::span<const std::byte> in, std::span<std::byte> out, int thread)>;

/// Local. Returns the number of threads on which `stream_traces` calls `transform`.
[[nodiscard]] int stream_threads(const Resources& resources);

/// Collective. Every rank reads its block of the traces and writes the output of `transform`. Each thread writes
/// independently if every owner writes, else all ranks write together according to the policy. Without a writer nothing
/// is written and `out` is empty. Uses a few MB per thread, or one trace if that is more; if ranks write together, also
/// the share of `resources.memory()` that a round takes. Errors: io; exceptions of `transform`.
void stream_traces(const Resources& resources, const TraceSource& source, SurveyWriter* writer,
                   const TraceTransform& transform);

/// Collective. Passes all traces of `reader` through `transform`, as the other `stream_traces` does.
void stream_traces(const Resources& resources, const SurveyReader& reader, SurveyWriter& writer,
                   const TraceTransform& transform);

/// Collective. Every rank passes its block of the traces of `reader` to `visit`, on several threads, each trace exactly
/// once. Uses a few MB per thread, or one trace if that is more. Errors: io; exceptions of `visit`.
void visit_traces(const Resources& resources, const SurveyReader& reader,
                  const std::function<void(ItemRange traces, std::span<const std::byte> in, int thread)>& visit);

}  // namespace sill
