// Draws conclusions from the counts: the kind of a survey, its unit, and the sentences that explain them. Uses neither
// ranks nor files.
#pragma once

#include <span>
#include <string>

#include "sill/survey/geometry/geometry_plan.hpp"
#include "sill/survey/geometry/geometry_rows.hpp"
#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill {

/// Local. Returns a sentence about a word: "cdp (byte 21) runs from 1 to 500, changes 499 times".
[[nodiscard]] std::string account_of(const WordEvidence& word, std::int64_t traces);

/// Local. Returns the evidence of all words.
[[nodiscard]] std::vector<WordEvidence> words_in(const HeaderEvidence& evidence, const RowReader& rows);

/// Local. Returns the unit of coordinates, derived from its word (bytes 89-90) and the measurement system (bytes
/// 3255-3256). Adds a sentence to `geometry.evidence` if the unit remains doubtful.
[[nodiscard]] CoordinateUnit unit_of(const HeaderEvidence& evidence, int measurement_system, SurveyGeometry& geometry);

/// Local. Sets kind and dimensions according to the counts (grid, gathers, offsets), and explains them. `across` is the
/// relative spread of sources, receivers and positions across their main direction; nullopt if they do not spread.
void evaluate_kind(const GeometryPlan& plan, std::optional<double> across, SurveyGeometry& geometry);

/// Local. Sets the order by the words that apply to this kind, and reports if the traces are in no order.
void evaluate_order(const HeaderEvidence& evidence, const GeometryPlan& plan, SurveyGeometry& geometry);

}  // namespace sill
