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

/// The variable of a generation that stores checksums: the CRC-32 of the header for one complete step, and then of each
/// block of the step.
inline constexpr const char* checkpoint_checksums = "checkpoint_checksums";

/// Local. Returns the file of generation `number`, from 1: "state.checkpoint.1.nc" and "state.checkpoint.0.nc" in turn.
[[nodiscard]] std::string generation_path(const std::string& path, std::int64_t number);

/// Local. Returns `description` for the file of generation `number`: with the number and a variable for checksums.
/// Errors: usage unless all variables have steps; as require_possible and cdf::layout_of.
[[nodiscard]] DatasetDescription described_generation(DatasetDescription description, std::int64_t number,
                                                      const cdf::FileForm& form);

/// Local. Returns the blocks of a generation for which checksums are stored: the blocks of its step.
[[nodiscard]] BlockChecksums checksums_of(const cdf::FileLayout& layout);

/// A file of a checkpoint that exists.
struct CheckpointGeneration {
  std::string path;
  std::int64_t number = 0;               ///< 0: not known
  DatasetContents contents = {};         ///< without the variable of checksums; set if the header could be read
  std::vector<std::uint32_t> sums = {};  ///< the stored checksums
  std::optional<Error> fault = {};       ///< why the generation is not intact
};

/// Collective. Reads the headers of all generations that exist, and returns the generations, the newest first.
[[nodiscard]] std::vector<CheckpointGeneration> checkpoint_generations(const Resources& resources,
                                                                       const std::string& path);

/// Collective. Reads all blocks of a generation, each once, with the threads of all ranks. Sets its fault if a checksum
/// is wrong.
void verify_generation(const Resources& resources, CheckpointGeneration& generation);

/// Collective. Returns the newest generation with correct checksums, and notes the fault of a newer generation in the
/// report. Returns nullopt if there is no file. Errors, if there are files but no intact generation: io if a file could
/// not be read, otherwise input.
[[nodiscard]] std::optional<CheckpointGeneration> newest_whole_generation(const Resources& resources,
                                                                          const std::string& path);

/// Collective. Returns the contents of a dataset as read_contents does; of a checkpoint, the contents of its newest
/// intact generation. The ending of a checkpoint's name may be omitted if no other dataset has the name without it.
/// Errors: as read_contents; io if a checkpoint has no file.
[[nodiscard]] DatasetContents contents_of_dataset(const Resources& resources, const std::string& path,
                                                  ListedFiles listed = ListedFiles::all);

}  // namespace sill
