// The Tecplot output of a flow solver on a grid of bricks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/netcdf/kernel_dataset.hpp"
#include "kernels/time_loop.hpp"

namespace sill::kernels {

/// The sizes of a run.
struct TecplotRun {
  std::int64_t grid = 96;  ///< nodes in each direction
  std::int64_t steps = 10;
  bool has_ascii = false;  ///< also writes each file as Tecplot text
};

/// The data of a node: its coordinates, and six variables that change.
inline constexpr std::array<std::string_view, 9> node_variables{"X", "Y", "Z", "rho", "u", "v", "w", "p", "T"};

/// One file per step with coordinates, nodes of bricks and six variables of 8 bytes. The ranks own complete lines of
/// nodes along x, whose variables are interleaved in memory between ghost nodes.
class TecplotKernel final : public Kernel {
 public:
  /// Local. Creates the kernel. Errors: usage for fewer than 2 nodes in a direction, and for more nodes than Tecplot
  /// can count.
  TecplotKernel(KernelSetting setting, TecplotRun run);

  [[nodiscard]] std::string name() const override { return "tecplot"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override { return dataset().paths(); }
  [[nodiscard]] std::vector<std::string> paths_beside() const override;
  [[nodiscard]] std::int64_t file_bytes() const override { return dataset().bytes(); }
  /// Collective. Writes with a DatasetWriter.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Collective. Writes on every rank, which opens the file of a step, seeks to the position of each of its values and
  /// writes the value; rank 0 writes each field of the header.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  void verify(const Resources& resources) const override { dataset().verify(resources); }

 private:
  struct Nodes;

  [[nodiscard]] KernelDataset dataset() const;
  // Returns the file of a step as text, computed from the same values by other code.
  [[nodiscard]] std::string ascii_of(std::int64_t step) const;
  [[nodiscard]] double value(std::size_t variable, std::int64_t node, std::int64_t step) const;
  [[nodiscard]] std::int32_t corner(std::int64_t brick, std::int64_t number) const;
  // Calls `write` for each step with the data of this rank.
  template <class Write>
  [[nodiscard]] RunClock loop(const Resources& resources, Write&& write) const;

  TecplotRun run_;
};

}  // namespace sill::kernels
