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
  Index grid{100, 100, 16};     ///< points in x, y, z: those of the paper
  std::int64_t variables = 73;  ///< physical ones first, of which there are at most 9; the rest are chemical
  std::int64_t phases = 5;
  std::optional<Container> container = {};  ///< nothing: what layouts say, else netCDF
};

/// One netCDF file with a step each phase. The ranks compute physical variables, each at points that are others each
/// phase; rank 0 computes the chemical ones.
class SubflowKernel final : public Kernel {
 public:
  /// Errors: usage for a grid without points, no variables, and for files beyond 2^63 - 1 bytes.
  SubflowKernel(KernelSetting setting, SubflowRun run);

  void use(const DatasetLayouts& layouts) override { layout_ = settled(run_.container, layouts, "subflow"); }
  [[nodiscard]] bool is_netcdf() const override { return is_one_file(layout_.container); }
  [[nodiscard]] std::string name() const override { return "subflow"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override { return dataset().paths(); }
  [[nodiscard]] std::int64_t file_bytes() const override { return dataset().bytes(); }
  /// By a DatasetWriter: all ranks write the elements that they have, then rank 0 writes the chemical variables by
  /// itself while the others go on. Containers with a file for each step get both together.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Rank 0 receives the numbers and values of all ranks and writes them by the serial netCDF library: an element at a
  /// time, and chemical variables whole. It asks to sync the file after each variable.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  void verify(const Resources& resources) const override { dataset().verify(resources); }

 private:
  [[nodiscard]] KernelDataset dataset() const;
  [[nodiscard]] std::int64_t physical() const;
  [[nodiscard]] std::int64_t points() const { return run_.grid[0] * run_.grid[1] * run_.grid[2]; }
  // The points of a rank in a phase.
  [[nodiscard]] std::vector<std::int64_t> points_of(std::int64_t step, int rank, int ranks) const;
  // Of each variable that a rank has: physical ones at its points, chemical ones at all.
  [[nodiscard]] std::vector<std::vector<double>> values_at(std::int64_t step, const std::vector<std::int64_t>& mine,
                                                           bool has_chemistry) const;

  SubflowRun run_;
  KernelLayout layout_;
};

}  // namespace sill::kernels
