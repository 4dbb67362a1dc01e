// The texts above and below a section: the information a reader needs to assess it.
#pragma once

#include <string>
#include <vector>

#include "sill/view/picture.hpp"
#include "sill/view/section.hpp"

namespace sill::view {

/// Local. Returns the text that titles contain: "traces 1 to 100 of 2,000", "iline == 5".
[[nodiscard]] std::string shown_traces_text(const Section& section);

/// Local. Returns the name of the quantity on the colour bar.
[[nodiscard]] std::string amplitude_name(const Section& section);

/// Local. Returns notes, the most important first: decimation and interpolation; clip and gain; dead traces and samples
/// that are not finite; doubts about the sample format; polarity; samples.
[[nodiscard]] std::vector<std::string> caption_of(const Section& section, const Placement& placement,
                                                  const PictureStyle& style);

}  // namespace sill::view
