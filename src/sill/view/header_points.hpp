// Values of trace headers as points: maps of positions, and plots of one header word against another.
#pragma once

#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/view/shown_traces.hpp"

namespace sill::view {

/// The requested points, whose coordinates and values are expressions over header words (docs/expressions.md).
struct PointsRequest {
  TracesRequest traces;
  std::string x;
  std::string y;
  std::string value;                    ///< expression whose mean colours the points; empty: the number of traces
                                        ///< colours the points
  bool leaves_out_auxiliary = false;    ///< only traces of seismic data, live or dead
  std::int64_t max_points = 4'000'000;  ///< distinct points
};

/// A point, and the traces that have its coordinates.
struct HeaderPoint {
  double x = 0.0;
  double y = 0.0;
  std::int64_t traces = 0;
  double mean = 0.0;  ///< mean of `value`; if `value` is empty, the number of traces
};

struct HeaderPoints {
  std::int64_t traces = 0;          ///< selected traces with finite values
  std::int64_t auxiliary = 0;       ///< selected traces that were left out
  std::string condition;            ///< the condition of the request; empty: all traces
  std::vector<HeaderPoint> points;  ///< on rank 0, ascending in x and y
};

/// Collective. Returns the points of all selected traces. Skips traces for which an expression is not a finite number.
/// Reads the required header bytes of all traces once. Errors: usage, for invalid expressions, more than `max_points`
/// distinct points, or if no trace is selected; io; input.
[[nodiscard]] HeaderPoints header_points(const Resources& resources, const SurveyReader& reader,
                                         const PointsRequest& request);

}  // namespace sill::view
