// The files of a checkpoint: two generations, each a netCDF file with the checksums of its blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/layout/range.hpp"
#include "sill/store/checksum_store.hpp"

namespace sill {

/// The variable of a generation that holds checksums: the CRC-32 of the header, which counts one step, and then of each
/// block of the step.
inline constexpr const char* checkpoint_checksums = "checkpoint_checksums";

/// Local. The file of generation `number`, from 1: "state.checkpoint.1.nc", "state.checkpoint.0.nc", ... in turn.
[[nodiscard]] std::string generation_path(const std::string& path, std::int64_t number);

/// Local. `description` as the file of generation `number` has it: with its number and with room for checksums. Errors:
/// usage unless all variables have steps; as require_possible, cdf::layout_of.
[[nodiscard]] DatasetDescription described_generation(DatasetDescription description, std::int64_t number,
                                                      const cdf::FileForm& form);

/// Local. The blocks of a generation whose checksums are kept: those of its step.
[[nodiscard]] BlockChecksums checksums_of(const cdf::FileLayout& layout);

/// A file of a checkpoint that is there.
struct CheckpointGeneration {
  std::string path;
  std::int64_t number = 0;               ///< 0: not known
  DatasetContents contents = {};         ///< without the variable of checksums, where the header could be read
  std::vector<std::uint32_t> sums = {};  ///< as they are stored
  std::optional<Error> fault = {};       ///< why it is no whole generation
};

/// Collective. Returns the generations that exist, the newest first, after reading their headers.
[[nodiscard]] std::vector<CheckpointGeneration> checkpoint_generations(const Resources& resources,
                                                                       const std::string& path);

/// Collective. Reads all blocks of a generation, each once, by the threads of all ranks, and sets its fault if the
/// checksum of one is wrong.
void verify_generation(const Resources& resources, CheckpointGeneration& generation);

/// Collective. Returns the newest generation whose checksums are all right; the fault of a newer one is noted in the
/// report. Nothing if no file is there. Errors: if there are files and none is whole, io of one that could
/// not be read, else input.
[[nodiscard]] std::optional<CheckpointGeneration> newest_whole_generation(const Resources& resources,
                                                                          const std::string& path);

/// Collective. As read_contents, also of a checkpoint: its newest whole generation. Errors: likewise; io if no file of
/// a checkpoint is there.
[[nodiscard]] DatasetContents contents_of_dataset(const Resources& resources, const std::string& path,
                                                  ListedFiles listed = ListedFiles::all);

}  // namespace sill
