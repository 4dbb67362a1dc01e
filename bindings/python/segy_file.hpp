// Functions for sill.segyio and sill.xarray that Survey does not have: new files, changing a file in place, words of a
// header.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"
#include "sill/store/part/part_file.hpp"
#include "sill/store/posix/file_lock.hpp"
#include "sill/store/store.hpp"
#include "survey.hpp"

namespace sill::python {

/// A file that is written under another name (store/part/part_file.hpp) and replaces `path` when it is complete.
class NewFile {
 public:
  /// Local. Creates a file of `size_bytes` bytes that begins with `start`, and is zero after it. Errors: io, also if
  /// an edit of `path` is running; usage if `path` has the journal of an interrupted edit.
  NewFile(const std::string& path, std::span<const std::byte> start, std::int64_t size_bytes);
  /// Local. Creates an empty file. Errors: as above.
  explicit NewFile(const std::string& path);

  /// Local. Returns the name until `commit`.
  [[nodiscard]] const std::string& path() const { return part_->path(); }
  /// Local. Gives the file its name. Precondition: it is not open. Errors: io.
  void commit() { part_->commit(false); }

 private:
  std::optional<FileLock> replaced_;  // locks the file that is replaced, if there is one
  std::optional<PartFile> part_;
};

/// A file that is read and changed in place, byte by byte. Several threads may use one object.
class EditableFile {
 public:
  /// Local. Opens an existing file. `locks`: no edit can change it while this object lives. Errors: io.
  EditableFile(const std::string& path, bool is_writable, bool locks);

  /// Local. Returns true if this file is locked, or need not be; false if another program or object has locked it.
  [[nodiscard]] bool has_lock() const { return has_lock_; }
  /// Local. Returns true if `path` names this file. Precondition: opened with `locks`. Errors: io.
  [[nodiscard]] bool is_at(const std::string& path) const { return !lock_ || lock_->is_at(path); }
  /// Local. Returns the bytes of `range`. Errors: io.
  [[nodiscard]] std::vector<std::byte> read(ByteRange range) const;
  /// Local. Returns `length` bytes at each of the `positions`, on all cores. Errors: io.
  [[nodiscard]] std::vector<std::byte> read_parts(std::span<const std::int64_t> positions, std::int64_t length) const;
  /// Local. Writes an equal share of `bytes` at each of the `positions`. Errors: io; usage if the file was opened for
  /// reading, if `positions` do not divide `bytes`, or if bytes are not within the file as it was opened.
  void write(std::span<const std::int64_t> positions, std::span<const std::byte> bytes) const;
  /// Local. Converts samples in native byte order to `to` and writes an equal share of them at each of the `positions`.
  /// Errors: as `write`; input if `to` cannot represent a sample.
  void write_samples(std::span<const std::int64_t> positions, std::span<const std::byte> samples,
                     segy::SampleFormat from, segy::SampleFormat to, ByteOrder order) const;
  /// Local. Checks the samples that `write_samples` wrote. Errors: input for `path`, if most of them lost their digits,
  /// as segy::require_signal.
  void require_signal(const std::string& path) const;
  /// Local. Returns when all that was written is on stable storage. Errors: io.
  void sync() const { store_->sync(); }

 private:
  std::optional<FileLock> lock_;  // before the file is opened, until it is closed
  bool has_lock_ = true;
  std::unique_ptr<Store> store_;
  bool is_writable_;
  std::int64_t size_bytes_;
  mutable std::mutex accounting_;
  mutable segy::ConversionAccount account_;
  mutable segy::SampleFormat format_ = segy::SampleFormat::ieee_float;
};

/// Local. Returns the byte order "big", "little" or "pairwise". Errors: usage for another name.
[[nodiscard]] ByteOrder byte_order_of(const std::string& name);

/// Local. Returns the format with a code of bytes 3225-3226 in a revision. Errors: usage for an unknown code.
[[nodiscard]] segy::SampleFormat sample_format_of(int code, int revision);

/// Local. Adds words of headers to the module: `get_word`, `set_word`, `standard_words`, `layout_types` and
/// `layout_entries`.
void add_words(nanobind::module_& module);

}  // namespace sill::python
