// The netCDF output of the General Curvilinear Coastal Ocean Model.
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
struct GccomRun {
  Index grid{401, 6, 201};  ///< points in x, y, z: a quarter of the points in the paper in x and z
  std::int64_t phases = 10;
  std::optional<Container> container = {};  ///< nullopt: the container in the layouts, otherwise netCDF
  bool lends = false;  ///< lends its arrays to the phase in flight until they change; the original does not
};

/// One netCDF file: the positions of the points of a curvilinear grid, and seven variables of 8-byte floats per step.
class GccomKernel final : public Kernel {
 public:
  /// Local. Creates the kernel. Errors: usage for a grid without points, and for files beyond 2^63 - 1 bytes.
  GccomKernel(KernelSetting setting, GccomRun run);

  void use(const DatasetLayouts& layouts) override { layout_ = settled(run_.container, layouts, "gccom"); }
  [[nodiscard]] bool is_netcdf() const override { return is_one_file(layout_.container); }
  [[nodiscard]] std::string name() const override { return "gccom"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override;
  [[nodiscard]] std::int64_t file_bytes() const override;
  /// Collective. Writes with a DatasetWriter, from arrays with ghost points.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Collective. Writes from rank 0, which receives the blocks of all ranks one after another, writes each variable
  /// with a call of the serial netCDF library, and then calls the library to sync the file.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  void verify(const Resources& resources) const override;

 private:
  [[nodiscard]] KernelDataset dataset() const;

  GccomRun run_;
  KernelLayout layout_;
};

}  // namespace sill::kernels
