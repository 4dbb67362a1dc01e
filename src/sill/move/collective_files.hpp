// Files that their owners write and read together, by collective calls of MPI-IO.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/move/policy/domains.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// Opens a file on several ranks of a communicator together. Collective over `ranks`, which ascend.
using CollectiveOpener = std::function<std::unique_ptr<Store>(Communicator& comm, std::span<const int> ranks,
                                                              const std::string& path, OpenMode mode)>;

/// The files of a set of which several ranks hold data, each opened by these ranks together.
class CollectiveFiles {
 public:
  /// `max_open`: how many stay open between calls, the same on every rank. `stage_bytes`: of what encoders make at
  /// once. `durable`: what was written is synced before a file is closed.
  CollectiveFiles(Communicator& comm, CollectiveOpener open, std::span<const std::string> paths, OpenMode mode,
                  std::int64_t max_open, std::int64_t stage_bytes, bool durable);

  /// Collective. Performs what all ranks want of the files of `summaries`, which are those of all ranks and ascend by
  /// (file, rank). Errors: io, the same on all ranks.
  void perform(Operation operation, const AccessPlan& mine, std::span<const AccessSummary> summaries);
  /// Collective. Syncs what was written since the last time.
  void sync();
  /// Collective. Closes all files, those that must be durable after syncing them.
  void close();
  /// Collective. Closes all files after an error that all ranks have; what closing itself fails with is lost. Files
  /// that several ranks have open cannot be closed by destructors, which are Local.
  void release() noexcept;
  /// Local. Tells that these files are there by now, so that they are not created; to be called on all ranks.
  void set_exist(std::set<int> files) { known_.merge(files); }

 private:
  struct Handle {
    std::vector<int> owners;
    std::unique_ptr<Store> store;  // on its owners
    bool is_written = false;
  };

  void close_files(std::span<const int> files);
  void open_file(int file, Handle& handle);
  void perform_batch(Operation operation, const AccessPlan& mine, const std::map<int, std::vector<int>>& owners);
  [[nodiscard]] std::optional<Error> perform_file(Operation operation, Store& store, const AccessPlan& mine, int file,
                                                  std::int64_t calls);

  Communicator& comm_;
  CollectiveOpener open_;
  std::span<const std::string> paths_;
  OpenMode mode_;
  std::int64_t max_open_;
  std::int64_t stage_bytes_;
  bool durable_;
  std::map<int, Handle> handles_;  // the same files with the same owners on every rank
  // Files that have been open: they are there, also where they were to be created. The same on every rank: only what
  // all have the memory for is merged into it.
  std::set<int> known_;
};

}  // namespace sill
