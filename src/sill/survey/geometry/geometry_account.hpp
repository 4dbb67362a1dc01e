// What follows from the counts: the kind of a survey, its unit, and the sentences that say why. No ranks, no files.
#pragma once

#include <span>
#include <string>

#include "sill/survey/geometry/geometry_plan.hpp"
#include "sill/survey/geometry/geometry_rows.hpp"
#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill {

/// Local. A word's name and bytes, and what it does: "cdp (bytes 21-24) runs from 1 to 500 and changes 499 times".
[[nodiscard]] std::string account_of(const WordEvidence& word, std::int64_t traces);

/// Local. What all words do.
[[nodiscard]] std::vector<WordEvidence> words_in(const HeaderEvidence& evidence, const RowReader& rows);

/// Local. The unit of coordinates, by their word (bytes 89-90) and the measurement system (bytes 3255-3256). Adds a
/// sentence to `geometry.evidence` where they leave a doubt.
[[nodiscard]] CoordinateUnit unit_of(const HeaderEvidence& evidence, int measurement_system, SurveyGeometry& geometry);

/// Local. Sets kind and dimensions by what was counted (grid, gathers, offsets), and says why. `across` is how far
/// sources, receivers and positions spread across their main direction, if they spread at all.
void evaluate_kind(const GeometryPlan& plan, std::optional<double> across, SurveyGeometry& geometry);

/// Local. Sets the order, by the words that count for this kind, and says what is in no order.
void evaluate_order(const HeaderEvidence& evidence, const GeometryPlan& plan, SurveyGeometry& geometry);

}  // namespace sill
