// Whole or nothing: a file is written beside its target and takes the target's name when it is complete.
#pragma once

#include <optional>
#include <string>

#include "sill/store/striping.hpp"

namespace sill {

/// The file `.NAME.sill-ID.part` beside a target NAME, created exclusively and locked while this object lives.
/// A process that dies leaves its part file behind unlocked; the next one for the same target removes it, unless
/// someone reads it through a store at that time. ID is 16 hexadecimal digits; no other name is ever removed. Used by
/// one rank; the others open `path()` themselves.
class PartFile {
 public:
  /// Local. Removes unlocked leftovers and creates a new part file, empty, with the permissions of `target` if that
  /// exists. A target that is a symbolic link stays one: the file it points to is replaced.
  /// With `striping` its stripes are asked for. Errors: io if the folder is missing or not writable, if the target is a
  /// directory or another special file, or is write-protected.
  explicit PartFile(const std::string& target, const Striping& striping = {});
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  /// Local. Removes the part file unless it was committed.
  ~PartFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Local. What became of the stripes; nothing if none were asked for.
  [[nodiscard]] const std::optional<StripingOutcome>& striping() const { return striping_; }

  /// Local. Gives the part file the target's name, replacing what had it. Precondition: all ranks have closed it.
  /// `durable`: returns when the new name is on stable storage; syncing the bytes before is the writers' task.
  /// Errors: io.
  void commit(bool durable);

 private:
  std::string target_;
  std::string path_;
  std::optional<StripingOutcome> striping_;
  int descriptor_ = -1;
};

/// Local. The file that an output of that name replaces or becomes: where a chain of symbolic links ends, whether it
/// exists or not. Errors: io for a stream that is open, or links in a circle.
[[nodiscard]] std::string file_of_output(const std::string& target);

/// Local. Removes the part files for `target` that processes left behind when they died.
void remove_left_part_files(const std::string& target);

/// Local. The path that a part file is written for, to be told to people; any other path as it is.
[[nodiscard]] std::string target_of_part(const std::string& path);

/// Local. Removes every part file this process holds; true if there was one. For signal handlers: it only calls what is
/// safe there.
bool remove_part_files_of_process() noexcept;

}  // namespace sill
