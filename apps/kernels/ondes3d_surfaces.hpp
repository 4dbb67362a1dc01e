// The surface output of Ondes3D as a kernel: planes of a grid, written every few steps without computing the grid.
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

/// The sizes of a run. The paper's run (F. Z. Boito et al. 2017, section IV) has these sizes, but 1000 steps and output
/// every 10 steps.
struct SurfaceRun {
  Index grid{520, 370, 140};     ///< points in x, y, z
  std::int64_t plane_rows = 11;  ///< number of rows of the planes xz and yz, from the top downwards
  std::int64_t steps = 20;
  std::int64_t every = 5;  ///< time steps between output phases; remaining steps have no output
  bool displacement = false;
  bool lends = false;  ///< lends its arrays to the phase in flight until they change; the original does not
};

/// The surface files of Ondes3D: the plane xy at the top, and the planes xz and yz through the middle. The paper does
/// not state which rows of xz and yz its files contain.
class SurfaceKernel final : public Kernel {
 public:
  /// Local. Creates the kernel. Errors: usage for a grid without points, and for more rows than the grid has.
  SurfaceKernel(KernelSetting setting, SurfaceRun run);

  [[nodiscard]] std::string name() const override { return "ondes3d-surfaces"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override;
  [[nodiscard]] std::int64_t file_bytes() const override;
  /// Collective. Writes with a SurfaceWriter.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Collective. Writes from one rank per plane, which receives three messages from each rank that has a section of it,
  /// and writes the vectors with one call of fwrite per number. Rank 0 writes the plane xy; the first rank of each
  /// other plane writes that plane.
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

/// The fields of a rank: three components of each quantity. Only the points on planes are computed.
class SurfaceFields {
 public:
  /// Local. Allocates the fields. Errors: std::bad_alloc.
  SurfaceFields(Box mine, std::size_t quantities);

  /// Local. Computes the points of the planes at `step`.
  void fill(const std::vector<Box>& planes, std::int64_t step);
  /// Local. Returns the arrays of a quantity.
  [[nodiscard]] VectorField of(std::size_t quantity) const;
  [[nodiscard]] const Box& mine() const { return mine_; }

 private:
  Box mine_;
  std::vector<std::vector<float>> arrays_;  // z varies fastest, then y, then x
};

/// Local. Returns the number at a point: one of 2^24 numbers of either sign, exact in a float, the same on every
/// machine.
[[nodiscard]] float surface_value(std::size_t quantity, std::size_t component, std::int64_t x, std::int64_t y,
                                  std::int64_t z, std::int64_t step);

}  // namespace sill::kernels
