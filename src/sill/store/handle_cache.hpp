// Access to many files through a limited number of open handles.
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

/// Local. Returns how many files may safely be open at once: half of the limit of the process (RLIMIT_NOFILE), because
/// the process needs the rest for other uses; at least 1, at most 4096.
[[nodiscard]] std::size_t safe_open_files();

/// The files of a list, addressed by their numbers in the list. A file is opened when it is needed. If more than
/// `max_open` are open, the least recently used files are closed, and opened again when needed. Several threads may use
/// the cache concurrently. Only for stores that each rank opens on its own: the ranks close different files, so no
/// store may be collective.
class HandleCache {
 public:
  /// Local. Creates the cache; opens nothing yet. A file is first opened with `mode`. Later, unless the mode is read,
  /// it is opened with OpenMode::write and must exist, so that a file that vanished in the meantime is an error and not
  /// created again.
  HandleCache(Opener open, std::vector<std::string> paths, OpenMode mode, std::size_t max_open = safe_open_files());
  HandleCache(const HandleCache&) = delete;
  HandleCache& operator=(const HandleCache&) = delete;
  /// Local. Closes all files and ignores errors; call `close` where errors matter.
  ~HandleCache();

  /// Local. Returns the store of file number `file`. The store stays open while the pointer is held; beyond `max_open`,
  /// only such stores are open. Errors: usage if the list has no such file; io if the file cannot be opened, or if the
  /// file that must be closed before cannot be closed; then nothing was opened.
  [[nodiscard]] std::shared_ptr<Store> get(int file);

  /// Local. Records that file number `file` exists now, so that it is opened as a file that must exist. Errors: usage
  /// if the list has no such file.
  void set_exists(int file);

  /// Local. Records that file number `file` has been written to. Call it after the write.
  void set_written(int file);

  /// Local. Syncs every file that was written to since its last sync to stable storage, including files closed in the
  /// meantime. `threads` threads process the files in ascending order. Errors: io, for the first file that failed; this
  /// file and the files that were not reached remain marked as written to.
  void sync_written(int threads = 1);

  /// Local. Closes all files; they may be used again later. Precondition: no pointer to a store is held. Errors: io,
  /// for the file with the lowest number that could not be closed, after all files have been closed.
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
  std::size_t max_open_;

  std::mutex mutex_;
  std::condition_variable opened_;
  std::vector<Slot> slots_;
  std::list<int> recent_;    // the open files, the most recently used first
  std::size_t opening_ = 0;  // files being opened; they count towards `max_open_`
};

}  // namespace sill
