// The netCDF output of Subflow, a program for the flow of groundwater and its chemistry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/netcdf/kernel_dataset.hpp"
#include "sill/formats/array/container.hpp"
#include "sill/layout/box.hpp"

namespace sill::kernels {

/// The sizes of a run.
struct SubflowRun {
  Index grid{100, 100, 16};     ///< points in x, y, z, as in the paper
  std::int64_t variables = 73;  ///< physical variables first, at most 9; all others are chemical
  std::int64_t phases = 5;
  std::optional<Container> container = {};  ///< nullopt: the container in the layouts, otherwise netCDF
};

/// One netCDF file with a step per phase. The ranks compute physical variables, each rank at different points in each
/// phase; rank 0 computes the chemical variables.
class SubflowKernel final : public Kernel {
 public:
  /// Local. Creates the kernel. Errors: usage for a grid without points, for no variables, and for files that are too
  /// large.
  SubflowKernel(KernelSetting setting, SubflowRun run);

  void use(const DatasetLayouts& layouts) override { layout_ = settled(run_.container, layouts, "subflow"); }
  [[nodiscard]] bool is_netcdf() const override { return is_one_file(layout_.container); }
  [[nodiscard]] std::string name() const override { return "subflow"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override { return dataset().paths(); }
  [[nodiscard]] std::int64_t file_bytes() const override { return dataset().bytes(); }
  /// Collective. Writes with a DatasetWriter: all ranks write their elements, then rank 0 writes the chemical variables
  /// independently while the other ranks continue. Containers with one file per step get both at the same time.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Collective. Writes from rank 0, which receives the indices and values of all ranks and writes them with the serial
  /// netCDF library: one element at a time, but chemical variables with one call each. It calls the library to sync the
  /// file after each variable.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  void verify(const Resources& resources) const override { dataset().verify(resources); }

 private:
  [[nodiscard]] KernelDataset dataset() const;
  [[nodiscard]] std::int64_t physical() const;
  [[nodiscard]] std::int64_t points() const { return run_.grid[0] * run_.grid[1] * run_.grid[2]; }
  // Returns the points of a rank in a phase.
  [[nodiscard]] std::vector<std::int64_t> points_of(std::int64_t step, int rank, int ranks) const;
  // Returns the values of each variable that a rank has: physical variables at its points, chemical ones at all points.
  [[nodiscard]] std::vector<std::vector<double>> values_at(std::int64_t step, const std::vector<std::int64_t>& mine,
                                                           bool has_chemistry) const;

  SubflowRun run_;
  KernelLayout layout_;
};

}  // namespace sill::kernels
