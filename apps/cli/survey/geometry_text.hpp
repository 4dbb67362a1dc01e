// The geometry of a survey as text for users and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill::cli {

/// Local. Returns rows indented by two blanks, without a newline after the last row.
[[nodiscard]] std::string geometry_text(const SurveyGeometry& geometry);

/// Local. Returns all results; values that could not be determined are null.
[[nodiscard]] nlohmann::ordered_json geometry_json(const SurveyGeometry& geometry);

}  // namespace sill::cli
