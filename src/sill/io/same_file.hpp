// Keeping outputs away from inputs.
#pragma once

#include <string>
#include <vector>

#include "sill/io/resources.hpp"

namespace sill {

/// Collective. Errors: usage if `output` is the same file as one of `inputs`, by whatever path or link.
void require_other_file(const Resources& resources, const std::string& output, const std::vector<std::string>& inputs);

}  // namespace sill
