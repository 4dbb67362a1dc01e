// The dimensions of a survey as an array: the values along each, and the trace at each position.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/layout/box.hpp"
#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill {

/// A dimension of traces.
struct TraceDimension {
  std::string name;
  std::string expression;           ///< a word or an expression of words; empty: the number of the trace
  std::vector<double> values = {};  ///< ascending, each once
};

/// Local. Returns the names of dimensions: "inline, crossline".
[[nodiscard]] std::string names_of(const std::vector<TraceDimension>& dimensions);

/// Local. Returns the dimensions that `text` names: "inline,crossline", "shot=ep,receiver=round(gx / 25)", "trace". A
/// name without an expression is that of a word, or inline (iline), crossline (xline), shot (fldr) or channel (tracf).
/// Errors: usage.
[[nodiscard]] std::vector<TraceDimension> dimensions_in(const std::string& text);

/// Local. Returns the dimensions of a survey of this geometry; the dimension `trace` if the geometry has none.
[[nodiscard]] std::vector<TraceDimension> dimensions_of(const SurveyGeometry& geometry);

/// What one pass over all headers yields.
struct HeaderPass {
  std::vector<std::vector<double>> values = {};  ///< of each dimension, for the traces of this rank
  std::vector<bool> is_used = {};       ///< for each byte of the headers: true if it is not 0 in at least one trace
  std::optional<double> start_us = {};  ///< time of the first sample, if it is the same in all traces
};

/// Collective. Reads all header bytes of all traces. Errors: usage for unknown words, or if the values do not fit the
/// memory; io.
[[nodiscard]] HeaderPass pass_over_headers(const Resources& resources, const SurveyReader& reader,
                                           const std::vector<TraceDimension>& dimensions);

/// The trace at each position.
struct TraceGrid {
  std::vector<TraceDimension> dimensions = {};
  Index shape = {};
  std::vector<std::int64_t> traces = {};  ///< number of the trace at each position, from 0, -1 for none; empty if trace
                                          ///< i is at position i
  std::int64_t holes = 0;                 ///< positions without a trace

  [[nodiscard]] std::int64_t trace_at(std::int64_t position) const {
    return traces.empty() ? position : traces[static_cast<std::size_t>(position)];
  }
};

/// Collective. Returns the grid of the traces whose `values` a pass over the headers yielded. The result is the same on
/// all ranks. Errors: usage if two traces have the same position, if there are more than `max_per_trace` positions per
/// trace, or if the grid does not fit the memory; input if a value is not finite, or beyond 2^53.
[[nodiscard]] TraceGrid trace_grid(const Resources& resources, const SurveyReader& reader,
                                   std::vector<TraceDimension> dimensions, const HeaderPass& pass,
                                   double max_per_trace);

/// Collective. Checks that a survey can be one array. Errors: usage for several files, traces of different lengths, and
/// no traces.
void require_array_of_traces(const Resources& resources, const SurveyReader& reader);

/// Collective. Returns the grid of the dimensions in `dimensions` (dimensions_in), or, if it is empty, of the detected
/// geometry; then the grid of the dimension `trace` if the detected dimensions are not possible, for the reason added
/// to `notes`. Sets `pass`. Errors: as dimensions_in, pass_over_headers and trace_grid.
[[nodiscard]] TraceGrid find_trace_grid(const Resources& resources, const SurveyReader& reader,
                                        const std::string& dimensions, HeaderPass& pass,
                                        std::vector<std::string>& notes);

}  // namespace sill
