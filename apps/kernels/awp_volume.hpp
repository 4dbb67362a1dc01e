// The volume output of AWP-ODC as a kernel: a time loop that computes nothing and samples a distributed grid.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/volume_writer.hpp"
#include "sill/layout/box.hpp"

namespace sill::kernels {

/// The sizes of a run. The paper's run (L. D. Crosby et al. 2011, section 2) is M8: 10125 x 5000 x 1060 points, of
/// which every second one is stored, three components, 20 samples per file.
struct VolumeRun {
  Index grid{400, 200, 100};          ///< points in x, y, z
  std::int64_t skip = 2;              ///< in each dimension; floor(n / skip) points are stored, as in the paper
  std::int64_t steps = 10;            ///< time steps
  std::int64_t every = 1;             ///< steps per sample
  std::int64_t samples_per_file = 5;  ///< maximum; the last file contains the remaining samples
  bool has_row_types = false;         ///< the original's datatype has an entry per row of points instead of per point
};

/// The volume files of AWP-ODC.
class VolumeKernel final : public Kernel {
 public:
  /// Local. Creates the kernel. Errors: usage for a grid of which no point is stored, and for files beyond 2^63 - 1
  /// bytes.
  VolumeKernel(KernelSetting setting, VolumeRun run);

  [[nodiscard]] std::string name() const override { return "awp-volume"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override;
  [[nodiscard]] std::int64_t file_bytes() const override;
  /// Collective. Writes with a VolumeWriter.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Collective. Writes as before the paper's optimization: with a datatype with an entry per element of a batch, and
  /// one collective MPI-IO write per file. With `has_row_types`, writes as the current program does. Also writes the
  /// last batch, which the original program loses if it is not full.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  /// Collective. Compares each value in the files with the expected value at its position.
  void verify(const Resources& resources) const override;

 private:
  [[nodiscard]] VolumeOptions options() const;
  [[nodiscard]] volume::FileForm form(std::int64_t samples) const;
  [[nodiscard]] std::vector<std::int64_t> batch_ends() const;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> parts(int ranks) const;
  [[nodiscard]] std::string path(char component, std::int64_t step) const;

  VolumeRun run_;
};

}  // namespace sill::kernels
