// A section with its axes and caption.
#pragma once

#include <optional>

#include "sill/draw/frame.hpp"
#include "sill/view/picture.hpp"
#include "sill/view/section_reading.hpp"
#include "sill/view/velocity_curves.hpp"

namespace sill::view {

/// A section, where its traces are on the page, and what stands around them.
class SectionDrawing {
 public:
  /// Local. Time, or depth, runs down on both sides; the words of the section stand on top, with their values at traces
  /// that have them; the caption is below. `velocities` are drawn over it, if they are given. What it refers to
  /// outlives it. Errors: usage, if there are velocities and none can be drawn; io, if Cairo is missing.
  SectionDrawing(SectionReader& reader, const PictureStyle& style,
                 const std::optional<ShownVelocities>& velocities = {});

  [[nodiscard]] const draw::Frame& frame() const { return frame_; }
  [[nodiscard]] const Placement& placement() const { return placement_; }

  /// Local. Writes the page. Errors: io; those of `sink`.
  void write(draw::PictureForm form, const draw::Sink& sink);

 private:
  void add_rows(std::size_t panel);

  SectionReader& reader_;
  const PictureStyle& style_;
  draw::Frame frame_;
  Placement placement_;
  std::vector<VelocityCurve> curves_;
};

/// Local. Rows of labels above a section that has these words on top, separated by commas; without any there are two at
/// most. `has_panels`: a difference names its panels.
[[nodiscard]] int top_rows_of(const std::string& top, bool has_panels);

}  // namespace sill::view
