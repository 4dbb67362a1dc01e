// A section as an HTML page.
#pragma once

#include "sill/view/section_drawing.hpp"

namespace sill::cli {

/// Local. Writes a page that needs no other file and no server: the picture, its notes, and the samples and header
/// words under the pointer. Precondition: the section has all rows. Errors: as `SectionDrawing::write`.
void write_section_page(view::SectionDrawing& drawing, const view::Section& section, const TextSink& sink);

}  // namespace sill::cli
