#include "sill/io/arrays/output/whole_dataset.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/arrays/output/zarr_output.hpp"
#include "sill/io/files/folder_syncs.hpp"
#include "sill/store/part/left_part_files.hpp"
#include "sill/store/part/part_name.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;

void rename_folder(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) throw system_error(errno, "renaming a dataset", {.file = to});
}

void remove_folder(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) throw system_error(error.value(), "removing the dataset of an earlier run", {.file = path});
}

}  // namespace

WholeDataset::WholeDataset(const Resources& resources, const std::string& target, Container container, bool replaces)
    : resources_(resources), replaces_(replaces) {
  Communicator& comm = resources_.comm;
  run_on_rank(comm, 0, [&] {
    if (is_one_file(container)) {
      path_ = part_.emplace(target, Striping{resources_.policy.stripe_count, resources_.policy.stripe_bytes}).path();
    } else {
      target_ = file_of_output(target);
    }
  });
  broadcast_all(comm, target_, 0);
  if (!target_.empty()) {
    lock_.emplace(comm, target_, OutputOf::dataset);
    run_on_rank(comm, 0, [&] { begin_folder(); });
  }
  broadcast_all(comm, path_, 0);
}

std::string WholeDataset::hidden(std::string_view ending) const {
  const std::size_t name = target_.rfind('/') + 1;
  return target_.substr(0, name) + part_prefix_of(target_.substr(name)).append(ending);
}

void WholeDataset::begin_folder() {
  const std::string folder = hidden(new_folder_ending);
  const std::string old = hidden("old");
  remove_folder(folder);
  if (fs::exists(status_at(old))) {  // a run was killed in commit_folder()
    rename_folder(old, fs::exists(status_at(target_)) ? folder : target_);
    remove_folder(folder);
  }
  require_place_of_group(target_, replaces_);
  path_ = folder;
}

void WholeDataset::commit() {
  run_on_rank(resources_.comm, 0, [&] {
    if (part_) {
      sill::commit(*part_, resources_.policy.is_durable(), resources_.meter);
    } else {
      commit_folder();
    }
  });
  path_.clear();
  lock_.reset();
}

void WholeDataset::commit_folder() {
  const std::string old = hidden("old");
  const bool was_free = std::rename(path_.c_str(), target_.c_str()) == 0;
  if (!was_free) {
    if (!replaces_) throw system_error(errno, "renaming the complete dataset to its name", {.file = target_});
    rename_folder(target_, old);
    // If the program is killed now, the next run gives the old dataset its name again.
    if (const std::optional<Error> error = attempt([&] { rename_folder(path_, target_); })) {
      (void)std::rename(old.c_str(), target_.c_str());
      throw Error(*error);
    }
    rename_folder(old, path_);
  }
  if (resources_.policy.is_durable()) sync_folder(fs::path(target_).parent_path().string(), resources_.meter);
  if (was_free) return;
  if (const std::optional<Error> error = attempt([&] { remove_folder(path_); })) note(resources_, error->what());
}

WholeDataset::~WholeDataset() {
  std::error_code ignored;
  if (!path_.empty() && lock_ && resources_.comm.rank() == 0) fs::remove_all(path_, ignored);
}

}  // namespace sill
