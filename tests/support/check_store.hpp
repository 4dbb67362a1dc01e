// A store that watches its callers: for tests of what moves bytes.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sill/store/store.hpp"

namespace sill {

/// What checked stores have seen of a set of files, and what they let pass. Several threads may use it.
class Ledger {
 public:
  struct Checks {
    bool overlap = true;    ///< a byte must not be written twice in a phase
    bool unwritten = true;  ///< of a file that was created through the ledger, only what was written may be read
  };

  Ledger() = default;
  explicit Ledger(Checks checks) : checks_(checks) {}

  /// Local. Only these bytes of a file may be written from now on.
  void declare(const std::string& path, const std::vector<ByteRange>& writable);
  /// Local. What was written so far may be written again.
  void next_phase();
  /// Local. What was written to a file in this phase: ascending, apart from each other.
  [[nodiscard]] std::vector<ByteRange> written(const std::string& path) const;

  /// Local. For stores: a file is new. What it once held is forgotten.
  void created(const std::string& path);
  /// Local. For stores: bytes are about to be written. Errors: usage, naming both ranges, if some were written in this
  /// phase; usage if they are not declared.
  void reserve_files(const std::string& path, ByteRange bytes);
  /// Local. For stores: claimed bytes have been written.
  void fill(const std::string& path, ByteRange bytes);
  /// Local. For stores: bytes are about to be read. Errors: usage if the file is new and they were not all written.
  void need(const std::string& path, ByteRange bytes) const;
  /// Local. For stores: bytes hold nothing any more.
  void drop(const std::string& path, ByteRange bytes);

 private:
  using Ranges = std::map<std::int64_t, std::int64_t>;  // begin to end, apart from each other
  struct File {
    bool is_new = false;
    Ranges in_phase;
    std::map<std::int64_t, ByteRange> claims;  // of the phase, as they came, by their begin
    Ranges filled;
    std::optional<Ranges> writable;
  };

  static void join(Ranges& ranges, ByteRange bytes);
  static void cut(Ranges& ranges, ByteRange bytes);
  [[nodiscard]] static std::optional<std::int64_t> first_outside(const Ranges& ranges, ByteRange bytes);

  Checks checks_;
  mutable std::mutex mutex_;
  std::map<std::string, File> files_;
};

/// Local. An opener whose stores check every write and read against `ledger`, which must outlive them, and refuse to be
/// used after they were closed. Memory that is to be read into is filled with `unread_byte` before, so that what a
/// store leaves untouched shows. A file counts as new when it is created, or made by OpenMode::write_or_create and
/// empty.
[[nodiscard]] Opener checked(Opener inner, Ledger& ledger);
inline constexpr std::byte unread_byte{0xDB};

}  // namespace sill
