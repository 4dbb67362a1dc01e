// Snapshots of a grid whose rows are short and distributed over ranks, as written by three-dimensional codes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "sill/io/simulation/distributed_grid.hpp"
#include "sill/io/simulation/volume_writer.hpp"
#include "sill/layout/box.hpp"

namespace sill::kernels {

/// The sizes of a run. On 2 x 2 ranks, rows have 96 bytes, and rows of two ranks alternate in the file.
struct GridRowsRun {
  Index grid{48, 512, 64};  ///< points in x, y, z; x and y are distributed over ranks
  std::int64_t snapshots = 10;
};

/// One file per snapshot: one component, each point, x fastest.
class GridRowsKernel final : public Kernel {
 public:
  /// Local. Creates the kernel. Errors: usage for a grid without points, and for files beyond 2^63 - 1 bytes.
  GridRowsKernel(KernelSetting setting, GridRowsRun run);

  [[nodiscard]] std::string name() const override { return "grid-rows"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override;
  [[nodiscard]] std::int64_t file_bytes() const override;
  /// Collective. Writes with a VolumeWriter, one sample per file.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Collective. Writes from rank 0, which receives the blocks of all ranks one after another, puts their rows in
  /// place, and writes the snapshot with one fwrite.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  void verify(const Resources& resources) const override;

 private:
  [[nodiscard]] DistributedGrid part_of(int rank, int ranks) const;
  [[nodiscard]] std::string path(std::int64_t step) const;

  GridRowsRun run_;
};

}  // namespace sill::kernels
