// Writes a synthetic survey.
#pragma once

#include <string>

#include "sill/formats/segy/synthetic/synthetic_survey.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Collective. Writes the survey that `options` describe to `output`. The bytes do not depend on ranks, threads or
/// policy. Errors: usage for invalid options; io.
void make_survey(const Resources& resources, const segy::SurveyOptions& options, const std::string& output);

}  // namespace sill
