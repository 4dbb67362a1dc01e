// All-or-nothing output: a file is written next to its target and gets the target's name when it is complete.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sill/store/part/part_name.hpp"
#include "sill/store/posix/unnamed_file.hpp"
#include "sill/store/striping.hpp"

struct stat;

namespace sill {

/// A path that `remove_part_files_of_process` removes.
struct PathToRemove;

/// For files that Sill stores next to a file of the user, such as journals: the path of the user's file.
struct StoredBeside {
  std::string file;
};

/// For a part file that remains when the process ends, for the next process: the ending of its name (part_name.hpp).
struct KeptAs {
  std::string_view ending;
};

/// The file `.NAME.sill-ID.part` next to a target NAME, created exclusively. The file is locked while this object
/// lives, or another locked part file in the same folder guards it. A process that dies leaves its part files unlocked.
/// The next part file created for the same target removes such leftovers, unless a process still reads the part file,
/// or another part file of its group, through a store. ID consists of 16 hexadecimal digits; files with other names are
/// never removed. One rank creates the part file; the other ranks open `path()` themselves. A part file never has wider
/// permissions than the file it belongs to: the existing target, or the file that it is stored next to. Only its owner
/// has access until the permissions are set. The target may be an unnamed file (store/posix/unnamed_file.hpp): then the
/// part file is unnamed too, and `commit` redirects the descriptor of the target to the part file.
class PartFile {
 public:
  /// Local. Removes unlocked leftovers and creates a new, empty part file with the permissions of `target` if that
  /// exists. If the target is a symbolic link, the link remains and the file it points to is replaced. `striping`
  /// requests stripes. Errors: io if the folder is missing or not writable, or if the target is a directory or another
  /// special file, or is write-protected.
  explicit PartFile(const std::string& target, const Striping& striping = {});
  /// Local. Creates a part file without removing leftovers. If `guard` is not null, the part file belongs to the group
  /// of `guard`: it has no lock and no open descriptor. Preconditions: `guard` is locked, is in the same folder, and is
  /// committed or destroyed later than this part file.
  PartFile(const std::string& target, const Striping& striping, const PartFile* guard);
  /// Local. Creates a part file for a target that Sill stores next to the file `beside.file`. The part file gets the
  /// permissions of `beside.file`, except the permissions to execute. Symbolic links are not followed. Errors: as the
  /// first constructor; io if the target is not a regular file, for example a symbolic link.
  PartFile(const std::string& target, const Striping& striping, const StoredBeside& beside);
  /// Local. Opens the part file `.NAME.sill-ENDING`, where ENDING is `kept.ending`, or creates it; existing contents
  /// are unchanged. Neither the destructor nor a signal removes it, and no process treats it as a leftover. Errors: as
  /// the first constructor; io if another process holds it, or if it is not a regular file that belongs to this user
  /// and has only one name.
  PartFile(const std::string& target, const Striping& striping, const KeptAs& kept);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  /// Local. Removes the part file, unless it was committed or was created with KeptAs.
  ~PartFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Local. Returns the outcome of requesting stripes; nullopt if none were requested.
  [[nodiscard]] const std::optional<StripingOutcome>& striping() const { return striping_; }

  /// Local. Returns true if the part file was opened with KeptAs and existed before.
  [[nodiscard]] bool was_there() const { return was_there_; }

  /// Local. Renames the part file to the target's name and replaces an existing target. Precondition: all ranks have
  /// closed the part file. `durable`: `commit` returns when the new name is on stable storage; the writers must sync
  /// the bytes before. Errors: io.
  void commit(bool durable);

 private:
  PartFile(const std::string& target, const Striping& striping, const PartFile* guard, const StoredBeside* beside);
  /// Sets `target_`. Returns the status of the file whose permissions the part file gets: the existing target, or the
  /// file that it is stored next to.
  [[nodiscard]] std::optional<struct stat> take_target(const std::string& target, const StoredBeside* beside);
  /// Closes the file if it is open, and removes its path from the list for signal handlers.
  void release();

  std::string target_;
  std::string path_;
  std::optional<StripingOutcome> striping_;
  PathToRemove* entry_ = nullptr;  // null once committed, and for a file with KeptAs
  bool was_there_ = false;
  int descriptor_ = -1;  // holds the lock
  std::optional<UnnamedFile> unnamed_;
};

/// Local. Creates part files for many targets, in the order of `targets`. In each folder, only the last part file is
/// locked; it guards the others. Therefore commit the part files in order. They need one open file per folder. Searches
/// each folder once for leftovers. Errors: as for one part file; after an error no part file remains.
[[nodiscard]] std::deque<PartFile> part_files_of(std::span<const std::string> targets, const Striping& striping = {});

/// Local. Removes every part file that this process holds; returns true if there was one. For signal handlers: this
/// function only calls functions that are safe in signal handlers.
bool remove_part_files_of_process() noexcept;

}  // namespace sill
