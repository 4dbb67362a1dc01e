// A dataset that gets its name when it is complete.
#pragma once

#include <optional>
#include <string>

#include "sill/formats/array/container.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/store/part/part_file.hpp"

namespace sill {

/// The place where a dataset is written until it is complete: a part file, or for Zarr the folder `.NAME.sill-new` next
/// to the target NAME. `commit` gives it the name; an existing dataset stays as it is until then. A folder that a
/// killed run left is removed by the next run for the same target. The caller locks the target.
class WholeDataset {
 public:
  /// Collective. Chooses the place. `resources` outlive it. Preconditions: one file or Zarr; `target` is locked as
  /// OutputOf::dataset, is not a link and has no slash at its end. Errors: as PartFile, and as require_place_of_group.
  WholeDataset(const Resources& resources, std::string target, Container container, bool replaces);
  WholeDataset(const WholeDataset&) = delete;
  WholeDataset& operator=(const WholeDataset&) = delete;
  /// Local. Removes what was written, unless it was committed.
  ~WholeDataset();

  /// Local. Returns the path to write to.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Collective. Gives the dataset its name. Precondition: all ranks have closed it. Errors: io; as
  /// require_place_of_group, for what now has the name.
  void commit();

 private:
  void commit_folder();

  const Resources& resources_;
  std::string target_;
  bool replaces_;
  std::string path_;
  std::optional<PartFile> part_;  // of a file, on rank 0
  bool is_folder_ = false;
};

}  // namespace sill
