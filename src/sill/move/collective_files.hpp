// Files that several ranks write and read with collective calls of MPI-IO.
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

/// Opens a file on several ranks of a communicator. Collective over `ranks`, which are in ascending order.
using CollectiveOpener = std::function<std::unique_ptr<Store>(Communicator& comm, std::span<const int> ranks,
                                                              const std::string& path, OpenMode mode)>;

/// The files of a set of which several ranks hold data. The ranks that hold data of a file open it collectively.
class CollectiveFiles {
 public:
  /// Local. Opens nothing yet. `max_open`: maximum number of files that remain open between calls, the same on every
  /// rank. `stage_bytes`: size of the buffer for encoded or decoded bytes. `durable`: syncs written files before it
  /// closes them.
  CollectiveFiles(Communicator& comm, CollectiveOpener open, std::span<const std::string> paths, OpenMode mode,
                  std::int64_t max_open, std::int64_t stage_bytes, bool durable);

  /// Collective. Performs the accesses of all ranks to the files of `summaries`. Precondition: `summaries` contains the
  /// summaries of all ranks, ascending by (file, rank). Errors: io, the same on all ranks.
  void perform(Operation operation, const AccessPlan& mine, std::span<const AccessSummary> summaries);
  /// Collective. Syncs the files that were written since the last sync.
  void sync();
  /// Collective. Closes all files. Syncs files that must be durable first.
  void close();
  /// Collective. Closes all files after an error that all ranks have; errors of closing are lost. Destructors, which
  /// are Local, cannot close files that several ranks have open.
  void release() noexcept;
  /// Local. Marks `files` as existing, so that they are not created again. Must be called on all ranks.
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
  // Files that have been open. They exist, even if the mode is to create them. The same on every rank: a file is added
  // only after all ranks have allocated the memory for it.
  std::set<int> known_;
};

}  // namespace sill
