// Drawings of what `sill check` found, as SVG inside a page.
#pragma once

#include <span>
#include <string>

#include "cli/check/check_report.hpp"

namespace sill::cli {

/// Local. Bars of how often amplitudes occur; empty without any.
[[nodiscard]] std::string histogram_drawing(const AmplitudeBars& bars);

/// Local. Where traces are and how many, by inline and crossline; empty if the file is no grid or line.
[[nodiscard]] std::string fold_drawing(const SurveyGeometry& geometry);

/// Local. Where all files of one unit of coordinates lie: grids by their corners, lines from end to end, else the
/// bounds of all positions; labelled by number of the file, from 1. Empty without any position.
[[nodiscard]] std::string position_drawing(std::span<const CheckedFile> files);

}  // namespace sill::cli
