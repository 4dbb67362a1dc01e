// Shapes of grids as users write them: 400x200x100.
#pragma once

#include <string>

#include "sill/layout/box.hpp"

namespace sill::cli {

/// Local. The points in x, y and z. Errors: usage, naming `option`, unless they are three whole numbers from 1 on whose
/// product is below 2^63.
[[nodiscard]] Index grid_of(const std::string& text, const std::string& option);

}  // namespace sill::cli
