// Many files through few open handles.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sill/store/store.hpp"

namespace sill {

/// Local. How many files may safely be open at once: half of what the process may open (RLIMIT_NOFILE), because it has
/// other uses for the rest; at least 1, at most 4096.
[[nodiscard]] std::size_t safe_open_files();

/// The files of a list, by their numbers in it, opened when they are needed; of more than `most` the least recently
/// used ones are closed, and opened again when they are needed again. Several threads may use it at once. For stores
/// that each rank opens on its own: which ones are closed differs from rank to rank, so none may be collective.
class HandleCache {
 public:
  /// Local. Opens nothing yet. A file is opened as `mode` says the first time; then, unless it is only read, it must
  /// exist (OpenMode::write), so that one that vanished meanwhile is an error and not a new file.
  HandleCache(Opener open, std::vector<std::string> paths, OpenMode mode, std::size_t most = safe_open_files());
  HandleCache(const HandleCache&) = delete;
  HandleCache& operator=(const HandleCache&) = delete;
  /// Local. Closes; errors of that closing are lost, so call `close` where they matter.
  ~HandleCache();

  /// Local. The store of file number `file`. It stays open while the pointer is held; beyond `most`, only such ones are
  /// open. Errors: usage if the list has no such file; io, of opening it, and of closing the one it takes the place of:
  /// then nothing was opened.
  [[nodiscard]] std::shared_ptr<Store> get(int file);

  /// Local. Tells that file number `file` is there by now: it is opened as one that must exist. Errors: usage if the
  /// list has no such file.
  void set_exists(int file);

  /// Local. Tells that file number `file` has been written to, to be called after the writing.
  void written(int file);

  /// Local. Brings to stable storage every file that was written to since it last came there, also those that have been
  /// closed meanwhile. Files are taken in ascending order by `threads` threads. Errors: io, of the first that failed;
  /// it and those not reached still count as written to.
  void sync_written(int threads = 1);

  /// Local. Closes all files. They may be used again later. Precondition: no pointer to a store is held.
  /// Errors: io, of the lowest file that failed, when all have been closed.
  void close();

 private:
  enum class State { closed, opening, open };
  struct Slot {
    State state = State::closed;
    bool exists = false;
    bool is_unsynced = false;
    std::shared_ptr<Store> store;
    std::list<int>::iterator place;  // in `recent_`, while open
  };

  void require_file(int file) const;
  [[nodiscard]] Slot& slot(int file) { return slots_[static_cast<std::size_t>(file)]; }
  [[nodiscard]] std::vector<std::shared_ptr<Store>> take_surplus();
  [[nodiscard]] std::shared_ptr<Store> open_slot(int file);

  Opener open_;
  std::vector<std::string> paths_;
  OpenMode mode_;
  std::size_t most_;

  std::mutex mutex_;
  std::condition_variable opened_;
  std::vector<Slot> slots_;
  std::list<int> recent_;    // of the open ones, the most recently used first
  std::size_t opening_ = 0;  // being opened; they count for the bound
};

}  // namespace sill
