// The output of a parallel BLAST: a record of XML for each query, compressed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "sill/io/records/records_writer.hpp"

namespace sill::kernels {

/// The sizes of a run.
struct BlastRun {
  std::int64_t records = 20000;
  std::int64_t record_bytes = 8192;      ///< of a record, about
  std::int64_t buffer_bytes = 64 << 20;  ///< of records that all ranks bring to a call together, about
  RecordsOptions options = {};
};

/// Records that workers finish in another order than that of their ids.
class BlastKernel final : public Kernel {
 public:
  /// Errors: usage for sizes that are none.
  BlastKernel(KernelSetting setting, BlastRun run);

  [[nodiscard]] std::string name() const override { return "blast-records"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override { return records_paths(path(), run_.options.files); }
  [[nodiscard]] std::vector<std::string> paths_beside() const override;
  /// Of the records before they are compressed.
  [[nodiscard]] std::int64_t file_bytes() const override;
  /// By a RecordsWriter.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// A file for each node: its first rank receives each record of the others, compresses it by zlib, writes it behind 4
  /// bytes that it leaves, and seeks back to write its length there.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  void verify(const Resources& resources) const override;

 private:
  [[nodiscard]] std::string record(std::int64_t id) const;
  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::string node_path(int node) const;
  // Calls `put` for the records of this rank in each batch, and `end` after the batch.
  [[nodiscard]] KernelCosts loop(const Resources& resources,
                                 const std::function<void(std::int64_t id, const std::string& record)>& put,
                                 const std::function<void()>& end) const;
  void verify_nodes() const;

  BlastRun run_;
};

}  // namespace sill::kernels
