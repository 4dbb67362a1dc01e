// Large blocks in equal transfers, as the benchmark IOR writes them: what a file system can do.
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
  std::int64_t block_bytes = 256LL << 20U;  ///< of each rank
  std::int64_t transfer_bytes = 1 << 20U;   ///< of each call; what is left of a block at its end is one more
  bool is_shared = false;                   ///< one file with the blocks of all ranks one after another, else one each
};

/// IOR (https://github.com/hpc/ior) with one segment: `ior -w -b BLOCK -t TRANSFER`, with `-F` unless shared.
class IorKernel final : public Kernel {
 public:
  /// `ranks` write a block each. Errors: usage if that exceeds 2^63 - 1 bytes.
  IorKernel(KernelSetting setting, IorRun run, int ranks);

  [[nodiscard]] std::string name() const override { return "ior"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override;
  [[nodiscard]] std::int64_t file_bytes() const override { return ranks_ * run_.block_bytes; }
  /// A phase is a transfer of each rank, written together.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Every rank by itself, a pwrite a transfer.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  void verify(const Resources& resources) const override;

 private:
  // Where the part of `rank`'s block that transfer `number` brings lies.
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
