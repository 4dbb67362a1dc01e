// The geometry of a survey as text for people and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill::cli {

/// Local. Rows indented by two blanks, without a line end after the last.
[[nodiscard]] std::string geometry_text(const SurveyGeometry& geometry);

/// Local. All that was found; what could not be determined is null.
[[nodiscard]] nlohmann::ordered_json geometry_json(const SurveyGeometry& geometry);

}  // namespace sill::cli
