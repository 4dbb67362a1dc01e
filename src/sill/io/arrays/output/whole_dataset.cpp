#include "sill/io/arrays/output/whole_dataset.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/arrays/output/zarr_folder.hpp"
#include "sill/io/files/folder_syncs.hpp"
#include "sill/store/part/part_name.hpp"

namespace sill {

WholeDataset::WholeDataset(const Resources& resources, std::string target, Container container, bool replaces)
    : resources_(resources), target_(std::move(target)), replaces_(replaces), is_folder_(!is_one_file(container)) {
  Communicator& comm = resources_.comm;
  run_on_rank(comm, 0, [&] {
    if (!is_folder_) {
      path_ = part_.emplace(target_, Striping{resources_.policy.stripe_count, resources_.policy.stripe_bytes}).path();
      return;
    }
    mend_left_folders(target_);
    require_place_of_group(target_, replaces_);
    path_ = hidden_folder(target_, new_folder_ending);
  });
  broadcast_all(comm, path_, 0);
}

void WholeDataset::commit() {
  run_on_rank(resources_.comm, 0, [&] {
    if (is_folder_) return commit_folder();
    sill::commit(*part_, resources_.policy.is_durable(), resources_.meter);
  });
  path_.clear();
}

void WholeDataset::commit_folder() {
  const bool has_replaced = rename_over(path_, target_, replaces_);
  if (resources_.policy.is_durable())
    sync_folder(std::filesystem::path(target_).parent_path().string(), resources_.meter);
  if (!has_replaced) return;
  if (const std::optional<Error> error = attempt([&] { remove_folder(path_); })) note(resources_, error->what());
}

WholeDataset::~WholeDataset() {
  std::error_code ignored;
  if (!path_.empty() && is_folder_ && resources_.comm.rank() == 0) std::filesystem::remove_all(path_, ignored);
}

}  // namespace sill
