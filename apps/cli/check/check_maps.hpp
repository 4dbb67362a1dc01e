// Drawings of the results of `sill check`, as SVG inside a page.
#pragma once

#include <span>
#include <string>

#include "cli/check/check_report.hpp"

namespace sill::cli {

/// Local. Returns a bar chart of the frequency of amplitudes; empty without amplitudes.
[[nodiscard]] std::string histogram_drawing(const AmplitudeBars& bars);

/// Local. Returns a map of the number of traces by inline and crossline; empty if the file is not a grid or a line.
[[nodiscard]] std::string fold_drawing(const SurveyGeometry& geometry);

/// Local. Returns a map of the positions of all files, for files with one unit of coordinates: grids by their corners,
/// lines from end to end, other files by the bounds of all positions. Labels are file numbers, from 1. Empty without
/// positions.
[[nodiscard]] std::string position_drawing(std::span<const CheckedFile> files);

}  // namespace sill::cli
