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

/// The sizes of a run. The paper's (L. D. Crosby et al. 2011, section 2): M8, 10125 x 5000 x 1060 points, every other
/// one of which is kept, three components, 20 samples per file.
struct VolumeRun {
  Index grid{400, 200, 100};          ///< points in x, y, z
  std::int64_t skip = 2;              ///< in each dimension; floor(n / skip) points are kept, as in the paper
  std::int64_t steps = 10;            ///< of time
  std::int64_t every = 1;             ///< steps a sample
  std::int64_t samples_per_file = 5;  ///< at most: the last file has what is left
  bool has_row_types = false;  ///< the original's datatype has an entry for each row of points instead of each point
};

/// The volume files of AWP-ODC.
class VolumeKernel final : public Kernel {
 public:
  /// Errors: usage for a grid of which no point is kept, and for files beyond 2^63 - 1 bytes.
  VolumeKernel(KernelSetting setting, VolumeRun run);

  [[nodiscard]] std::string name() const override { return "awp-volume"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override;
  [[nodiscard]] std::int64_t file_bytes() const override;
  /// By a VolumeWriter.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// As before the paper's optimization: a datatype with an entry for each element of a batch, and one collective write
  /// of MPI-IO a file; with `has_row_types` as it is written today. The last batch, which the original program loses
  /// where it is not full, is written as well.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  /// Point by point, from the number of each value in its file.
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
