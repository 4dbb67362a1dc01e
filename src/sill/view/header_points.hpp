// Values of trace headers as points: maps of positions, and one word against another.
#pragma once

#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/view/shown_traces.hpp"

namespace sill::view {

/// What is asked for: expressions over header words (docs/expressions.md).
struct PointsRequest {
  TracesRequest traces;
  std::string x;
  std::string y;
  std::string value;                    ///< of whose mean points have colours; empty: the number of traces
  std::int64_t max_points = 4'000'000;  ///< different ones
};

/// A point, and the traces there.
struct HeaderPoint {
  double x = 0.0;
  double y = 0.0;
  std::int64_t traces = 0;
  double mean = 0.0;  ///< of the value, or the number of traces
};

struct HeaderPoints {
  std::int64_t traces = 0;          ///< that were asked for
  std::string condition;            ///< what was asked for; empty: all
  std::vector<HeaderPoint> points;  ///< on rank 0, ascending in x and y
};

/// Collective. Returns the points of all traces that are asked for; traces where an expression is no finite number are
/// left out. Reads the header bytes that are needed of all traces, once. Errors: usage, for expressions that are none,
/// more than `max_points` different points, or if no trace is selected; io; input.
[[nodiscard]] HeaderPoints header_points(const Resources& resources, const SurveyReader& reader,
                                         const PointsRequest& request);

}  // namespace sill::view
