// Arrays in HDF5 and netCDF-4 files that are chunked and grow.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/hdf5/hdf5_file.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/arrays/output/chunked_output.hpp"
#include "sill/io/simulation/growing_files.hpp"

namespace sill {

/// Collective. Returns true if a dataset is to be written as a chunked file: if it continues one, if a codec or chunks
/// are given, or if it has steps whose number is not given. Errors: usage for a number of steps of a chunked file.
[[nodiscard]] bool is_chunked_hdf5(const Resources& resources, const std::string& path,
                                   const DatasetDescription& description, const DatasetOptions& options);

/// Writes a dataset as an HDF5 or netCDF-4 file whose chunks follow one another in the order of steps, variables and
/// their places. At the end of each call that completes steps, rank 0 adds the chunks to the metadata; they are
/// written with the last data, and selected then (hdf5::GrowingFile).
class ChunkedHdf5Output final : public ChunkedOutput {
 public:
  /// Collective. Opens the output, as the constructor of DatasetWriter. Precondition: the arguments are the same on all
  /// ranks.
  ChunkedHdf5Output(const Resources& resources, std::string path, Container container, DatasetDescription description,
                    const DatasetOptions& options);

  void set_attribute(const Attribute& attribute, const std::string& variable) override;

 private:
  struct Sources;

  void describe() override;
  [[nodiscard]] std::vector<ChunkedVariable> chunked() const override;
  [[nodiscard]] std::vector<Window> windows(std::optional<std::int64_t> step) override;
  [[nodiscard]] std::optional<ChunkGrid> units(std::size_t variable) const override;
  // So the order of chunks in the file does not depend on that of calls.
  [[nodiscard]] bool has_unit_order() const override { return true; }
  void begin_step() override;
  void end_step() override;
  [[nodiscard]] std::int64_t next_byte() const override;
  void write_window(WindowCall call) override;
  void finish() override;
  void complete() override;

  void open_existing(const DatasetDescription& given);
  // Local. Returns the chunks of an existing file. Errors: usage if steps cannot be added to it.
  [[nodiscard]] std::vector<hdf5::PlacedChunk> chunks_in(const DatasetContents& contents, std::int64_t steps);
  // Local. Places the chunks of a window from byte `begin` on, and returns the plan of this rank.
  [[nodiscard]] AccessPlan place(const WindowCall& call, Sources& sources);
  // Local. On rank 0: returns the plan of the metadata for all placed chunks, and selects them for `steps` steps.
  [[nodiscard]] AccessPlan add_metadata(std::int64_t steps, Sources& sources);
  // Local. Returns the plan that selects the metadata for `steps` steps.
  [[nodiscard]] AccessPlan selection_of(std::int64_t steps) const;

  struct Selection {
    std::int64_t steps = -1;
    FilePiece bytes = {};
  };

  Container container_;
  hdf5::FileForm form_;
  std::optional<hdf5::GrowingFile> metadata_;  // on rank 0
  std::array<Selection, 2> selections_;        // the last ones; on rank 0 with bytes
  std::vector<hdf5::PlacedChunk> placed_;      // on rank 0: those that the metadata lacks
  std::size_t placed_before_step_ = 0;
  std::int64_t end_ = hdf5::chunks_begin;  // of the data
  std::int64_t end_before_step_ = hdf5::chunks_begin;
  std::int64_t file_steps_ = 0;  // those that the metadata states
  bool has_metadata_ = false;
  std::optional<GrowingFiles> file_;
};

}  // namespace sill
