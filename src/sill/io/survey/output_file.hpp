// A file that several ranks write together and that appears under its name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/move/mover.hpp"
#include "sill/plan/extent.hpp"
#include "sill/store/part/part_file.hpp"

namespace sill {

/// The bytes of a file being written. Destroyed before `finish`, it leaves nothing behind and the target untouched.
class OutputFile {
 public:
  /// Collective. Makes the part file beside `target`. `size_bytes` long, its space reserved, or, for 0, empty and
  /// growing as it is written. With `part`, which rank 0 has made for `target` and which outlives it, that file is
  /// written, and the caller commits it after `finish`. `resources` outlive it. Errors: io; usage if a journal lies
  /// beside the target.
  OutputFile(const Resources& resources, const std::string& target, std::int64_t size_bytes, PartFile* part = nullptr);
  /// Collective. The same for a file that Sill stores beside one of the user's: `beside`.
  OutputFile(const Resources& resources, const std::string& target, std::int64_t size_bytes,
             const StoredBeside& beside);

  /// Collective. Every rank writes its extents (of file 0), as the policy says. Errors: usage if extents overlap; io.
  void write(std::vector<Extent> extents);

  /// Local. Writes `bytes` of this rank's at once, from any thread: see Mover::write_own.
  void write_own(std::int64_t offset_bytes, std::span<const std::byte> bytes) {
    mover_->write_own(0, offset_bytes, bytes);
  }

  /// Local. Returns this rank's own handle, to read back what it wrote: see Mover::own_handle.
  [[nodiscard]] std::shared_ptr<Store> handle() { return mover_->own_handle(0); }

  /// Local. Returns the mover, for callers that write extents in many calls.
  [[nodiscard]] Mover& mover() { return *mover_; }

  /// Local. Where the bytes are until `finish`.
  [[nodiscard]] const std::string& unfinished_path() const { return path_; }

  /// Collective. What every rank has written can be read by every other from now on: also on file systems that promise
  /// that only for a file that was closed and opened again. Errors: io.
  void share();

  /// Collective. Closes the file on all ranks, after syncing it if the policy says so, and gives it the target's name,
  /// unless the part file is the caller's. Errors: io; then the target is untouched, unless it was the syncing of its
  /// folder that failed.
  void finish();

 private:
  OutputFile(const Resources& resources, const std::string& target, std::int64_t size_bytes, PartFile* part,
             const StoredBeside* beside);

  const Resources& resources_;
  std::optional<PartFile> part_;  // on rank 0, unless it is the caller's
  std::string path_;              // of the part file
  std::optional<Mover> mover_;
};

}  // namespace sill
