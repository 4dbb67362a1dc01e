// Whole or nothing: a file is written beside its target and takes the target's name when it is complete.
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

/// For files that Sill stores beside one of the user's, such as journals: which file that is.
struct StoredBeside {
  std::string file;
};

/// For a file that stays when the process ends, and that the next one finds: the ending of its name (part_name.hpp).
struct KeptAs {
  std::string_view ending;
};

/// The file `.NAME.sill-ID.part` beside a target NAME, created exclusively and locked while this object lives, or
/// guarded by another one that is. A process that dies leaves its part files behind unlocked; the next one for the same
/// target removes it, unless someone reads it, or one of its group, through a store at that time. ID is 16 hexadecimal
/// digits; no other name is ever removed. Used by one rank; the others open `path()` themselves.
/// A part file never allows anybody more than the file it belongs to: the target, if that exists, or the file that it
/// is stored beside. Until its permissions are set it is its owner's alone.
/// The target may be an unnamed file (store/posix/unnamed_file.hpp): then so is the part file, and `commit` puts it in
/// the target's place.
class PartFile {
 public:
  /// Local. Removes unlocked leftovers and creates a new part file, empty, with the permissions of `target` if that
  /// exists. A target that is a symbolic link stays one: the file it points to is replaced.
  /// With `striping` its stripes are asked for. Errors: io if the folder is missing or not writable, if the target is a
  /// directory or another special file, or is write-protected.
  explicit PartFile(const std::string& target, const Striping& striping = {});
  /// Local. The same without looking for leftovers. With `guard`, which is locked, in the same folder, and committed or
  /// destroyed later: in its group, so without a lock, and without a file that stays open for it.
  PartFile(const std::string& target, const Striping& striping, const PartFile* guard);
  /// Local. Of a file stored beside another, whose permissions it gets, without those to execute it. No link is
  /// followed. Errors: as above; io if what has the name is no regular file, be it a symbolic link.
  PartFile(const std::string& target, const Striping& striping, const StoredBeside& beside);
  /// Local. Of a file with the name `.NAME.sill-ENDING`, which is kept as it is if it is there. Neither a destructor
  /// nor a signal removes it, and nobody takes it for a leftover. Errors: as the first; io if another process holds it,
  /// or if what has its name is no regular file of this user's with one name.
  PartFile(const std::string& target, const Striping& striping, const KeptAs& kept);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  /// Local. Removes the part file unless it was committed or stays.
  ~PartFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Local. What became of the stripes; nothing if none were asked for.
  [[nodiscard]] const std::optional<StripingOutcome>& striping() const { return striping_; }

  /// Local. Whether a file that stays was there before.
  [[nodiscard]] bool was_there() const { return was_there_; }

  /// Local. Gives the part file the target's name, replacing what had it. Precondition: all ranks have closed it.
  /// `durable`: returns when the new name is on stable storage; syncing the bytes before is the writers' task.
  /// Errors: io.
  void commit(bool durable);

 private:
  PartFile(const std::string& target, const Striping& striping, const PartFile* guard, const StoredBeside* beside);
  /// Sets the target; of a file stored beside another, or of a target that is there: whose permissions it gets.
  [[nodiscard]] std::optional<struct stat> take_target(const std::string& target, const StoredBeside* beside);
  /// Closes it, if it is open, and has no signal remove it any more.
  void release();

  std::string target_;
  std::string path_;
  std::optional<StripingOutcome> striping_;
  PathToRemove* entry_ = nullptr;  // null once committed, and of a file that stays
  bool was_there_ = false;
  int descriptor_ = -1;  // holds the lock
  std::optional<UnnamedFile> unnamed_;
};

/// Local. Part files for many targets, in their order. Of each folder the last one alone is locked and guards the
/// others: so they are to be committed in order, and need as many open files as there are folders. Leftovers are looked
/// for once a folder. Errors: as of one; then none is left.
[[nodiscard]] std::deque<PartFile> part_files_of(std::span<const std::string> targets, const Striping& striping = {});

/// Local. Removes every part file this process holds; true if there was one. For signal handlers: it only calls what is
/// safe there.
bool remove_part_files_of_process() noexcept;

}  // namespace sill
