// Reading of arrays from a file into the memory of all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/io/arrays/chunk_source.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/move/mover.hpp"

namespace sill {

/// Handling of missing elements: elements that a file counts but ends before, and elements of a variable that a step
/// omits.
enum class Missing { refuse, fill };

/// Reads a dataset, also one that other programs wrote: read_contents lists the accepted files.
///
///     DatasetReader fields(resources, "fields.nc");
///     fields.read_step(fields.steps() - 1, {{{"u", mine, stored, u.data()}}});
class DatasetReader {
 public:
  /// Collective. Opens a dataset. `resources` outlive it. With Missing::fill, missing elements are read as the fill
  /// values of their variables, and a note in the report of the session names a file that ends before the data that its
  /// header counts. Errors: as read_contents.
  DatasetReader(const Resources& resources, std::string path, Missing missing = Missing::refuse);

  /// Local. Returns the description of the dataset.
  [[nodiscard]] const DatasetDescription& description() const { return contents_.description; }
  /// Local. Returns the number of complete steps.
  [[nodiscard]] std::int64_t steps() const { return contents_.steps; }

  /// Local. Returns true if step `step` contains a variable: steps of .vti files and raw bytes may omit variables. For
  /// variables without steps `step` is ignored. Errors: usage if there is no such variable or step.
  [[nodiscard]] bool holds(const std::string& variable, std::int64_t step) const;

  /// Local. Returns the pieces of a box of a variable without steps that are in chunks that are not stored, so that
  /// they are read as the fill value. Errors: io; usage if there is no such variable; input for a damaged index.
  [[nodiscard]] std::vector<Box> absent(const std::string& variable, const Box& box);

  /// Local. Returns the files that elements are read from.
  [[nodiscard]] const std::vector<std::string>& files() const { return contents_.files; }

  /// Local. Returns what an HDF5 file has and the description lacks, and why, as text.
  [[nodiscard]] const std::vector<std::string>& left_out() const { return contents_.left_out; }

  /// Collective. Reads parts of variables without steps into memory. Parts may overlap in the file, but not in memory;
  /// a rank may pass none. Errors: usage if a part is not a part of such a variable (see `checked_part`), for constant
  /// memory, and if a value is outside the range of the memory's type; input for missing elements; io.
  void read(std::span<const ArrayPart> parts);

  /// Collective. Reads parts of step `step`, from 0, and of variables without steps, as `read` does. A part with
  /// ArrayPart::step k is read from the k-th step after it. Errors: as `read`; usage if there is no such step.
  void read_step(std::int64_t step, std::span<const ArrayPart> parts);

 private:
  void require_step(std::int64_t step) const;
  [[noreturn]] void refuse_missing(std::size_t variable, std::int64_t step) const;
  // Returns the step of a part. Errors: usage if the part cannot be read.
  [[nodiscard]] std::int64_t step_to_read(const ArrayPart& part, bool has_steps,
                                          std::optional<std::int64_t> step) const;
  void read_parts(std::optional<std::int64_t> step, std::span<const ArrayPart> parts);
  // Several threads may call it at once.
  std::shared_ptr<ChunkFinder> finder_of(std::size_t variable);

  const Resources& resources_;
  std::string path_;
  Missing missing_;
  DatasetContents contents_;
  std::optional<Mover> mover_;  // of the files of the dataset; none if all variables are stored as chunks
  std::mutex finders_mutex_;
  std::map<std::size_t, std::shared_ptr<ChunkFinder>> finders_;  // by variable, of `absent` and chunk_mover_
  std::size_t max_open_ = 1;                                     // files of a variable that its finder keeps open
  std::shared_ptr<Store> chunk_file_;                            // of HDF5, for all finders
  std::optional<Mover> chunk_mover_;  // of the chunked variables, each as a file (ChunkSource)
};

}  // namespace sill
