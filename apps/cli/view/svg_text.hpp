// A section as SVG and as a page for the browser.
#pragma once

#include "cli/view/png_file.hpp"
#include "sill/flow/view/drawing.hpp"
#include "sill/flow/view/picture.hpp"
#include "sill/flow/view/section.hpp"

namespace sill::cli {

/// Local. The drawing as an SVG element: the picture as a PNG inside, axes and caption as texts.
void write_svg(const flow::view::Drawing& drawing, const Sink& sink);

/// Local. A page that needs no other file: the drawing, and a line that shows what is under the pointer: the sample as
/// it is stored (after the gain), its time, and the header words of its trace. Precondition: all rows are held.
void write_section_page(const flow::view::Drawing& drawing, const flow::view::Section& section,
                        const flow::view::Placement& placement, const Sink& sink);

}  // namespace sill::cli
