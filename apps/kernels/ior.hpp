// Large blocks in equal transfers, as written by the benchmark IOR: measures the limit of a file system.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "sill/layout/range.hpp"

namespace sill::kernels {

/// The sizes of a run.
struct IorRun {
  std::int64_t block_bytes = 256LL << 20U;  ///< per rank
  std::int64_t transfer_bytes = 1 << 20U;   ///< per call; the remainder of a block is one more transfer
  bool is_shared = false;                   ///< one file, blocks in rank order; otherwise one file per rank
};

/// IOR (https://github.com/hpc/ior) with one segment: `ior -w -b BLOCK -t TRANSFER`, with `-F` unless shared.
class IorKernel final : public Kernel {
 public:
  /// Local. Creates the kernel. Each of `ranks` ranks writes a block. Errors: usage if the total exceeds 2^63 - 1
  /// bytes.
  IorKernel(KernelSetting setting, IorRun run, int ranks);

  [[nodiscard]] std::string name() const override { return "ior"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override;
  [[nodiscard]] std::int64_t file_bytes() const override { return ranks_ * run_.block_bytes; }
  /// Collective. Writes one transfer of each rank per phase, collectively.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Collective. Writes on every rank independently, one pwrite per transfer.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  void verify(const Resources& resources) const override;

 private:
  // The position of transfer `number` of the block of `rank`.
  struct Place {
    int file = 0;
    ByteRange bytes;
  };
  [[nodiscard]] Place place_of(int rank, std::int64_t number) const;
  [[nodiscard]] std::int64_t transfers() const {
    return run_.block_bytes / run_.transfer_bytes + (run_.block_bytes % run_.transfer_bytes > 0 ? 1 : 0);
  }

  IorRun run_;
  int ranks_;
};

}  // namespace sill::kernels
