// What stands above and below a section: all that one needs to know to assess it.
#pragma once

#include <string>
#include <vector>

#include "sill/view/picture.hpp"
#include "sill/view/section.hpp"

namespace sill::view {

/// Local. "traces 1 to 100 of 2,000", "iline == 5", as titles have it.
[[nodiscard]] std::string shown_traces_text(const Section& section);

/// Local. What the numbers of the colour bar are.
[[nodiscard]] std::string amplitude_name(const Section& section);

/// Local. Notes, the most important first: decimation and interpolation; clip and gain; what is not a sample; doubts
/// about the format; polarity; samples.
[[nodiscard]] std::vector<std::string> caption_of(const Section& section, const Placement& placement,
                                                  const PictureStyle& style);

}  // namespace sill::view
