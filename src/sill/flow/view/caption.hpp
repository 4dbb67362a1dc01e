// What stands below a section: all that one needs to know to assess it.
#pragma once

#include <string>
#include <vector>

#include "sill/flow/view/picture.hpp"
#include "sill/flow/view/section.hpp"

namespace sill::flow::view {

/// Local. Lines without an end: file and traces; samples; format, with any doubt; clip and gain; polarity; decimation;
/// what is not a sample. In ASCII, but for names of files.
[[nodiscard]] std::vector<std::string> caption_of(const Section& section, const Placement& placement,
                                                  const PictureStyle& style);

}  // namespace sill::flow::view
