// A section with its axes and caption.
#pragma once

#include <optional>
#include <vector>

#include "sill/draw/frame.hpp"
#include "sill/flow/operation/velocity_field.hpp"
#include "sill/view/picture.hpp"
#include "sill/view/section.hpp"

namespace sill::view {

/// Velocities in the form that `nmo` takes.
struct ShownVelocities {
  const flow::VelocityField* field = nullptr;
  double unit_m = 1.0;  ///< unit of length of the velocities in the offset word
};

/// A curve on the page, in pixels.
struct VelocityCurve {
  struct Point {
    double x = 0.0;
    double y = 0.0;
    bool is_given = false;  ///< the time of this point is in the velocity table
  };
  std::vector<Point> points;
};

/// A section, the positions of its traces on the page, and the texts around them.
class SectionDrawing {
 public:
  /// Local. Arranges a section on a page. Time, or depth, increases downwards on both side axes. The words of the
  /// section label the axis above, with their values at the traces; the caption is below. `velocities`, if given, are
  /// drawn over the section. `reader` and `style` must outlive this object. Errors: usage, if none of the given
  /// velocities can be drawn; io, if Cairo is missing.
  SectionDrawing(SectionReader& reader, const PictureStyle& style,
                 const std::optional<ShownVelocities>& velocities = {});

  [[nodiscard]] const draw::Frame& frame() const { return frame_; }
  [[nodiscard]] const Placement& placement() const { return placement_; }

  /// Local. Writes the page. Errors: io; errors of `sink`.
  void write(draw::PictureForm form, const TextSink& sink);

 private:
  void add_rows(std::size_t panel);

  SectionReader& reader_;
  const PictureStyle& style_;
  draw::Frame frame_;
  Placement placement_;
  std::vector<VelocityCurve> curves_;
};

/// The axis of samples: its name and unit, and its values at the first sample of row 0 and from sample to sample.
struct SampleAxis {
  std::string name;
  double first = 0.0;
  double step = 1.0;
};

/// Local. Returns the axis of samples. Without a sample interval, samples are numbered from 1.
[[nodiscard]] SampleAxis sample_axis_of(const Section& section);

/// Local. Returns the number of label rows above a section with the words `top`, separated by commas; without words,
/// the maximum of two. `has_panels`: the section is a difference, and one more row names its panels.
[[nodiscard]] int top_rows_of(const std::string& top, bool has_panels);

}  // namespace sill::view
