// The coordinates of grids in files of VTK: values that headers state, and positions of points.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/image/image_file.hpp"
#include "sill/formats/image/vtk_grid.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/plan/extent.hpp"

namespace sill {

/// Local. Checks values that a rank passes of the variables `coordinates` of a grid; if it is one, the points of an
/// unstructured grid of VTKHDF, also of Connectivity. Errors: usage for coordinates that are not finite, and numbers of
/// points that do not exist.
void require_grid_values(std::span<const ArrayPart> parts, const DatasetDescription& description,
                         std::span<const std::optional<std::size_t>> coordinates);

/// The values of the coordinates of an image or a rectilinear grid that ranks pass, in the order z, y, x.
class CoordinateValues {
 public:
  CoordinateValues(const image::VtkGrid& grid, const DatasetDescription& description);

  /// Local. Adds values that this rank writes to a file. Errors: those of encoders.
  void add(std::span<const Extent> extents, const image::ImageFile& file);
  /// Collective. Combines the values of all ranks; only the first call has an effect.
  void join(Communicator& comm);
  [[nodiscard]] std::array<std::vector<double>, 3> values() const;

 private:
  struct Axis {
    std::size_t variable = 0;
    ElementType type = ElementType::f8;
    std::vector<std::int64_t> bits = {};  // of the values; 0: the value of another rank
  };
  std::array<std::optional<Axis>, 3> axes_;
  bool is_joined_ = false;
};

/// The bytes of interleaved coordinates of points, from the extents of each coordinate.
class InterleavedExtents final : public Encoder {
 public:
  /// `extents` have runs of `element_bytes` and the same number of them.
  InterleavedExtents(std::array<std::optional<Extent>, 3> extents, std::int64_t element_bytes)
      : extents_(std::move(extents)), element_bytes_(element_bytes) {}

  void fill(ByteRange range, std::span<std::byte> bytes) const override;
  [[nodiscard]] bool is_for_threads() const override;

 private:
  std::array<std::optional<Extent>, 3> extents_;
  std::int64_t element_bytes_;
};

/// Local. Replaces extents of coordinates of the same points by one, so that a file gets long runs. Extents without a
/// counterpart remain.
void join_interleaved(std::vector<Extent>& extents, const image::Interleaved& points,
                      std::list<InterleavedExtents>& encoders);

}  // namespace sill
