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

/// The bytes of a file being written. If the object is destroyed before `finish`, no file remains, and the target is
/// unchanged.
class OutputFile {
 public:
  /// Collective. Creates the part file next to `target`, with `size_bytes` bytes of reserved space, or, for 0, empty
  /// and growing. If `part` is given, which rank 0 has made for `target` and which outlives this object, that file is
  /// written, and the caller commits it after `finish`. `resources` outlive it. Errors: io; usage if the target has a
  /// journal.
  OutputFile(const Resources& resources, const std::string& target, std::int64_t size_bytes, PartFile* part = nullptr);
  /// Collective. Creates the part file of a file that Sill stores next to a file of the user. `beside` describes the
  /// stored file.
  OutputFile(const Resources& resources, const std::string& target, std::int64_t size_bytes,
             const StoredBeside& beside);

  /// Collective. Writes the extents of every rank (of file 0), as the policy defines. Errors: usage if extents overlap;
  /// io.
  void write(std::vector<Extent> extents);

  /// Local. Writes `bytes` of this rank immediately, from any thread: see Mover::write_own.
  void write_own(std::int64_t offset_bytes, std::span<const std::byte> bytes) {
    mover_->write_own(0, offset_bytes, bytes);
  }

  /// Local. Returns this rank's own handle, to read back the bytes that the rank wrote: see Mover::own_handle.
  [[nodiscard]] std::shared_ptr<Store> handle() { return mover_->own_handle(0); }

  /// Local. Returns the mover, for callers that write extents in many calls.
  [[nodiscard]] Mover& mover() { return *mover_; }

  /// Local. Returns the path of the part file, which contains the bytes until `finish`.
  [[nodiscard]] const std::string& unfinished_path() const { return path_; }

  /// Collective. Makes the bytes written by every rank readable on all other ranks, even on file systems that guarantee
  /// this only for a file that was closed and opened again. Errors: io.
  void share();

  /// Collective. Closes the file on all ranks, after syncing it if the policy requires it, and gives it the target's
  /// name, unless the part file belongs to the caller. Errors: io; then the target is unchanged, unless the syncing of
  /// its folder failed.
  void finish();

 private:
  OutputFile(const Resources& resources, const std::string& target, std::int64_t size_bytes, PartFile* part,
             const StoredBeside* beside);

  const Resources& resources_;
  std::optional<PartFile> part_;  // on rank 0, unless it belongs to the caller
  std::string path_;              // path of the part file
  std::optional<Mover> mover_;
};

}  // namespace sill
