// The surface output of Ondes3D as a kernel: planes of a grid that nobody computes, every few steps.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "sill/formats/surface/surface_file.hpp"
#include "sill/io/simulation/surface_writer.hpp"
#include "sill/layout/grid_decomposition.hpp"

namespace sill::kernels {

/// The sizes of a run. The paper's (F. Z. Boito et al. 2017, section IV) are these with 1000 steps, every 10.
struct SurfaceRun {
  Index grid{520, 370, 140};     ///< points in x, y, z
  std::int64_t plane_rows = 11;  ///< of the planes xz and yz, from the top down
  std::int64_t steps = 20;
  std::int64_t every = 5;  ///< time steps from one output phase to the next; what is left at the end has none
  bool displacement = false;
  bool lends = false;  ///< its arrays to the phase in flight, until they change: not of the original
};

/// The surface files of Ondes3D: the plane xy on top, xz and yz through the middle. Which rows of these the paper's
/// files hold it does not say.
class SurfaceKernel final : public Kernel {
 public:
  /// Errors: usage for a grid without points, and for more rows than it has.
  SurfaceKernel(KernelSetting setting, SurfaceRun run);

  [[nodiscard]] std::string name() const override { return "ondes3d-surfaces"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override;
  [[nodiscard]] std::int64_t file_bytes() const override;
  /// By a SurfaceWriter.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// A rank a plane receives three messages from each that has a part of it, and writes the vectors with a call of
  /// fwrite for each of their numbers: rank 0 the plane xy, the first rank of the others theirs.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  void verify(const Resources& resources) const override;

 private:
  struct PlaneFile {
    surface::Plane plane = surface::Plane::xy;
    surface::FileForm form;
  };

  [[nodiscard]] std::vector<surface::Quantity> quantities() const;
  [[nodiscard]] std::vector<PlaneFile> planes() const;
  [[nodiscard]] GridDecomposition parts(int ranks) const;
  [[nodiscard]] std::string path(const PlaneFile& file, surface::Quantity quantity, std::int64_t step) const;
  [[nodiscard]] std::int64_t phases() const { return run_.steps / run_.every; }

  SurfaceRun run_;
};

/// What a rank has of the fields: three components of each quantity, of which only what lies on planes is computed.
class SurfaceFields {
 public:
  /// Local. Errors: no memory.
  SurfaceFields(Box mine, std::size_t quantities);

  /// Local. Computes the points of the planes at `step`.
  void fill(const std::vector<Box>& planes, std::int64_t step);
  /// Local. The arrays of a quantity.
  [[nodiscard]] VectorField of(std::size_t quantity) const;
  [[nodiscard]] const Box& mine() const { return mine_; }

 private:
  Box mine_;
  std::vector<std::vector<float>> arrays_;  // z varies fastest, then y, then x
};

/// Local. The number at a point: one of 2^24 of either sign, exact in a float, the same everywhere.
[[nodiscard]] float surface_value(std::size_t quantity, std::size_t component, std::int64_t x, std::int64_t y,
                                  std::int64_t z, std::int64_t step);

}  // namespace sill::kernels
