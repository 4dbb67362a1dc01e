// Selects traces of a post-stack grid by position: the traces of a slice, and the traces along a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/description/interval_word.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill {

/// Positions of a grid. If there are too many, only evenly spaced positions are included in each direction.
struct GridTraces {
  LineAxis ilines;
  LineAxis xlines;
  std::int64_t iline_stride = 1;  ///< distance of the included inlines, in steps of the line numbers
  std::int64_t xline_stride = 1;
  std::int64_t rows = 0;              ///< number of inlines
  std::int64_t columns = 0;           ///< number of crosslines
  std::vector<std::int64_t> numbers;  ///< trace numbers, row by row; -1: no trace
};

/// Collective. Returns the geometry of a survey that is a post-stack grid with one trace per bin at most. Errors:
/// usage, if the survey is none; as `find_geometry`.
[[nodiscard]] SurveyGeometry require_grid(const Resources& resources, const SurveyReader& reader);

/// Collective. Returns the positions of the survey's grid, at most `max_rows` by `max_columns`. The result is the same
/// on all ranks. Reads all headers. Errors: io.
[[nodiscard]] GridTraces grid_traces(const Resources& resources, const SurveyReader& reader, const SurveyGrid& grid,
                                     std::int64_t max_rows, std::int64_t max_columns);

/// The samples of traces at one time or depth.
struct SliceSamples {
  std::vector<std::int64_t> traces;   ///< the traces that have such a sample, in the order of the file
  std::vector<std::int64_t> samples;  ///< of each, the number of the nearest sample
  std::vector<std::size_t> places;    ///< of each, its index in the list of traces that was given
  std::vector<char> are_dead;         ///< of each: 1 if it is marked as dead
  double off_us = 0.0;                ///< largest distance of the samples from the slice
  segy::OtherIntervals others;        ///< traces that state another sample interval
};

/// Local. Returns the samples nearest to `at_us`, a time in microseconds, or a depth in thousandths of its unit, of the
/// traces `numbers`; -1 stands for no trace. Reads the headers of these traces. Errors: io.
[[nodiscard]] SliceSamples samples_at(const SurveyReader& reader, std::span<const std::int64_t> numbers, double at_us);

/// A point in the survey's coordinates.
struct LinePoint {
  double x = 0.0;
  double y = 0.0;
};

/// Local. Reads "X1,Y1:X2,Y2", or more points. Errors: usage.
[[nodiscard]] std::vector<LinePoint> parse_line(const std::string& text);

/// Collective. Returns the numbers of all traces nearest to the line through the given points, in the order of the
/// line. Sets `top` to the words of inline and crossline numbers. Errors: usage, if the survey is
/// not a post-stack grid whose positions fit its line numbers, or if no trace is near the line; as `find_geometry`.
[[nodiscard]] std::vector<std::int64_t> traces_along(const Resources& resources, const SurveyReader& reader,
                                                     const std::vector<LinePoint>& line, std::string& top);

}  // namespace sill
