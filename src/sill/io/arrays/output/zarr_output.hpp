// Arrays in Zarr: a folder of shards, whose chunks are compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/zarr/zarr_array.hpp"
#include "sill/io/arrays/dataset_options.hpp"
#include "sill/io/arrays/output/chunked_output.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/phase_writer.hpp"

namespace sill {

/// Writes a dataset as a group of Zarr, version 3. Each step of a variable is one or more shards. The metadata counts a
/// step after all its shards have their names; the files of metadata are replaced by renaming.
class ZarrOutput final : public ChunkedOutput {
 public:
  /// Collective. Opens the output, as the constructor of DatasetWriter. Precondition: the arguments are the same on all
  /// ranks.
  ZarrOutput(const Resources& resources, std::string path, DatasetDescription description,
             const DatasetOptions& options);

 private:
  // A shard, and its chunks in the list of a window.
  struct ShardOfVariable {
    std::size_t variable = 0;
    std::int64_t number = 0;
    std::size_t first = 0;
    std::size_t end = 0;
  };

  void describe() override;
  [[nodiscard]] std::vector<ChunkedVariable> chunked() const override;
  [[nodiscard]] std::vector<Window> windows(std::optional<std::int64_t> step) override;
  [[nodiscard]] std::optional<ChunkGrid> units(std::size_t variable) const override;
  void write_window(WindowCall call) override;
  void finish() override;
  void complete() override;

  void open_existing(const DatasetDescription& given);
  // Local. Returns the phase that writes the shards of a window.
  [[nodiscard]] OutputPhase phase_of(WindowCall& call, std::int64_t number, std::optional<std::int64_t> steps);
  // Local. On rank 0: writes the metadata for `steps` complete steps.
  void publish(std::int64_t steps);

  std::vector<zarr::ArrayForm> forms_;
  std::vector<std::vector<ShardOfVariable>> shards_;  // of the windows
  std::int64_t published_steps_ = -1;                 // on rank 0; -1: the metadata has not been written
  bool is_text_new_ = true;                           // the description changed since it was last published
  std::int64_t phases_begun_ = 0;
  std::int64_t phases_ended_ = 0;  // on rank 0: without an error
  std::optional<PhaseWriter> phases_;
};

}  // namespace sill
