// Traces of a post-stack grid by their places: those of a slice, and those along a line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill::view {

/// Places of a grid, of too many every n-th in each direction.
struct GridTraces {
  LineAxis ilines;
  LineAxis xlines;
  std::int64_t iline_stride = 1;  ///< in steps of the numbers
  std::int64_t xline_stride = 1;
  std::int64_t rows = 0;              ///< of inlines
  std::int64_t columns = 0;           ///< of crosslines
  std::vector<std::int64_t> numbers;  ///< of traces, row by row; -1: a hole
};

/// Collective. Returns the places of the survey's grid, no more than `max_rows` by `max_columns`. The result is the
/// same on all ranks. Reads all headers twice. Errors: usage, if the survey is no post-stack grid; as `find_geometry`.
[[nodiscard]] GridTraces grid_traces(const Resources& resources, const SurveyReader& reader, std::int64_t max_rows,
                                     std::int64_t max_columns);

/// A point of the survey's coordinates.
struct LinePoint {
  double x = 0.0;
  double y = 0.0;
};

/// Local. Reads "X1,Y1:X2,Y2", or more points. Errors: usage.
[[nodiscard]] std::vector<LinePoint> parse_line(const std::string& text);

/// Collective. Returns the numbers of the traces nearest to a line from point to point, in its order, no more than
/// `max_traces`; words of the two line numbers become `top`. Errors: usage, if the survey is no post-stack grid whose
/// positions fit its numbers, or no trace lies along the line; as `find_geometry`.
[[nodiscard]] std::vector<std::int64_t> traces_along(const Resources& resources, const SurveyReader& reader,
                                                     const std::vector<LinePoint>& line, std::int64_t max_traces,
                                                     std::string& top);

}  // namespace sill::view
