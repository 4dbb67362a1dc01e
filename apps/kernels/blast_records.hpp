// The output of a parallel BLAST: a compressed XML record per query.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/time_loop.hpp"
#include "sill/io/records/records_writer.hpp"

namespace sill::kernels {

/// The sizes of a run.
struct BlastRun {
  std::int64_t records = 20000;
  std::int64_t record_bytes = 8192;      ///< approximate size of a record
  std::int64_t buffer_bytes = 64 << 20;  ///< approximate size of the records that all ranks pass to one call together
  RecordsOptions options = {};
};

/// Records that workers finish in an order that differs from the order of their ids.
class BlastKernel final : public Kernel {
 public:
  /// Local. Creates the kernel. Errors: usage for invalid sizes.
  BlastKernel(KernelSetting setting, BlastRun run);

  [[nodiscard]] std::string name() const override { return "blast-records"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override { return records_paths(path(), run_.options.files); }
  [[nodiscard]] std::vector<std::string> paths_beside() const override;
  /// Local. Returns the size of the records before compression.
  [[nodiscard]] std::int64_t file_bytes() const override;
  /// Collective. Writes with a RecordsWriter.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Collective. Writes one file per node: the first rank of the node receives each record of the others, compresses it
  /// with zlib, writes it after a gap of 4 bytes, and seeks back to write its length in the gap.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  void verify(const Resources& resources) const override;

 private:
  [[nodiscard]] std::string record(std::int64_t id) const;
  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::string node_path(int node) const;
  // Calls `put` for the records of this rank in each batch, and `end` after the batch.
  [[nodiscard]] RunClock loop(const Resources& resources,
                              const std::function<void(std::int64_t id, const std::string& record)>& put,
                              const std::function<void()>& end) const;
  void verify_nodes() const;

  BlastRun run_;
};

}  // namespace sill::kernels
