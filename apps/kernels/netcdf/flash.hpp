// The output of the FLASH code: a checkpoint and two plot files, blocks of an adaptive mesh with guard cells.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/netcdf/kernel_dataset.hpp"
#include "sill/formats/array/container.hpp"

namespace sill::kernels {

/// The sizes of a run.
struct FlashRun {
  std::int64_t blocks = 80;                 ///< per rank
  std::int64_t zones = 16;                  ///< per block in each direction, without guard cells
  std::optional<Container> container = {};  ///< nullopt: the container in the layouts, otherwise netCDF
};

/// Three netCDF files: the checkpoint with 24 unknowns of 8 bytes and the tree of blocks; the plot file with four of
/// the unknowns as 4 bytes; the plot file of values at the corners of zones.
class FlashKernel final : public Kernel {
 public:
  /// Local. Creates the kernel. Errors: usage for no blocks or zones, and for files beyond 2^63 - 1 bytes.
  FlashKernel(KernelSetting setting, FlashRun run, int ranks);

  void use(const DatasetLayouts& layouts) override { layout_ = settled(run_.container, layouts, "flash"); }
  [[nodiscard]] bool is_netcdf() const override { return is_one_file(layout_.container); }
  [[nodiscard]] std::string name() const override { return "flash"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override;
  [[nodiscard]] std::int64_t file_bytes() const override;
  /// Collective. Writes with a DatasetWriter per file, directly from the arrays of unknowns.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Collective. Writes with PnetCDF, without fill values: each rank copies one unknown at a time out of its blocks and
  /// starts to write it with a non-blocking call; all calls are completed together before the file is closed.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  void verify(const Resources& resources) const override;

 private:
  enum class File { checkpoint, centred, corner };
  static constexpr std::array files{File::checkpoint, File::centred, File::corner};

  [[nodiscard]] KernelDataset dataset(File file) const;
  [[nodiscard]] KernelCosts write(const Resources& resources, bool is_original) const;

  FlashRun run_;
  KernelLayout layout_;
  int ranks_;
};

}  // namespace sill::kernels
