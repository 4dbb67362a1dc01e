// Passing all traces of a survey, in order, through an operation that transforms the bytes of each.
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

/// The items to pass, numbered from 0: traces, or groups of traces that belong together.
struct TraceSource {
  std::int64_t traces = 0;
  std::int64_t longest_trace_bytes = 0;
  std::function<std::int64_t(ItemRange)> bytes_of;                 ///< of traces, headers and samples
  std::function<void(ItemRange, std::span<std::byte> into)> read;  ///< whole traces; called by several threads at once
  /// The traces that this rank passes; without it, its block of `traces`.
  std::optional<ItemRange> own = {};
  /// The bytes of the output that consecutive traces are written to; without it, those of the writer's traces.
  std::function<ByteRange(ItemRange)> place_of = {};
  /// What a thread reads at once, one item at least. By default input and output stay in the cache of a core.
  std::int64_t chunk_bytes = 512 << 10;
};

/// Turns the bytes `in` of `traces` of the input into the bytes `out` of the same traces of the output. Called by
/// several threads at once, each trace exactly once. May throw.
using TraceTransform =
    std::function<void(ItemRange traces, std::span<const std::byte> in, std::span<std::byte> out, int thread)>;

/// Local. The threads that `stream_traces` calls `transform` on.
[[nodiscard]] int stream_threads(const Resources& resources);

/// Collective. Every rank reads its block of the traces and writes what `transform` makes of them: each thread for
/// itself where every owner writes, else together as the policy says; without a writer nothing is written and `out` is
/// empty. Holds a few MB per thread, or one trace if that is more; writing together, as much of `resources.memory()` as
/// a round takes. Errors: io; what `transform` throws.
void stream_traces(const Resources& resources, const TraceSource& source, SurveyWriter* writer,
                   const TraceTransform& transform);

/// Collective. The same of all traces of `reader`.
void stream_traces(const Resources& resources, const SurveyReader& reader, SurveyWriter& writer,
                   const TraceTransform& transform);

/// Collective. Every rank passes its block of the traces of `reader` to `visit`, on several threads, each trace exactly
/// once. Memory: a few MB per thread, or one trace if that is more. Errors: io; what `visit` throws.
void visit_traces(const Resources& resources, const SurveyReader& reader,
                  const std::function<void(ItemRange traces, std::span<const std::byte> in, int thread)>& visit);

}  // namespace sill
