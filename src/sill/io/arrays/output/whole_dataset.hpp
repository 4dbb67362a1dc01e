// A dataset that gets its name when it is complete.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sill/formats/array/container.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/output_lock.hpp"
#include "sill/store/part/part_file.hpp"

namespace sill {

/// The place where a dataset is written until it is complete: a part file, or for Zarr the folder `.NAME.sill-new` next
/// to the target NAME. `commit` gives it the name; an existing dataset stays as it is until then. A folder that a
/// killed run left is removed by the next run for the same target.
class WholeDataset {
 public:
  /// Collective. Chooses the place. For Zarr, locks the target. `resources` outlive it. Preconditions: one file or
  /// Zarr. Errors: as PartFile; usage if a folder exists and `replaces` is false, or if it is not a group of Zarr; io,
  /// also if another run is writing the folder.
  WholeDataset(const Resources& resources, const std::string& target, Container container, bool replaces);
  WholeDataset(const WholeDataset&) = delete;
  WholeDataset& operator=(const WholeDataset&) = delete;
  /// Local. Removes what was written, unless it was committed.
  ~WholeDataset();

  /// Local. Returns the path to write to.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Collective. Gives the dataset its name. Precondition: all ranks have closed it. Errors: io.
  void commit();

 private:
  void begin_folder();
  void commit_folder();
  [[nodiscard]] std::string hidden(std::string_view ending) const;

  const Resources& resources_;
  bool replaces_;
  std::string target_;  // of a folder: the end of a chain of links
  std::string path_;
  std::optional<OutputLock> lock_;  // of a folder
  std::optional<PartFile> part_;    // of a file, on rank 0
};

}  // namespace sill
