// Checkpoints of a simulation on a grid: its complete state at regular intervals.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/netcdf/kernel_dataset.hpp"
#include "kernels/time_loop.hpp"

namespace sill::kernels {

/// The sizes of a run.
struct CheckpointRun {
  std::int64_t grid = 200;  ///< points in each direction
  std::int64_t variables = 12;
  std::int64_t phases = 3;
};

/// Two alternating generations (io/arrays/checkpoint_files.hpp) of variables of 8 bytes per point.
class CheckpointKernel final : public Kernel {
 public:
  /// Local. Creates the kernel. Errors: usage for no points or variables, and for files beyond 2^63 - 1 bytes.
  CheckpointKernel(KernelSetting setting, CheckpointRun run);

  [[nodiscard]] std::string name() const override { return "checkpoint"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override { return dataset().paths(); }
  [[nodiscard]] std::int64_t file_bytes() const override { return dataset().bytes(); }
  /// Collective. Writes with a DatasetWriter, from arrays with ghost points.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Collective. Writes from rank 0, which receives the blocks of all ranks one after another, one variable at a time,
  /// swaps their bytes, and writes them with a checksum that it computes at the same time.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  void verify(const Resources& resources) const override { dataset().verify(resources); }

 private:
  [[nodiscard]] KernelDataset dataset() const;
  template <class Write>
  [[nodiscard]] RunClock loop(const Resources& resources, Write&& write) const;

  CheckpointRun run_;
};

}  // namespace sill::kernels
