// Files that live in memory: for tests, and for what never needs a disk.
#pragma once

#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "sill/store/store.hpp"

namespace sill {

/// A set of files in memory, by name. The files live as long as the set; several threads may use it.
class MemoryFiles {
 public:
  /// Local. Opens as `OpenMode` says. Errors: io as for files of the system.
  [[nodiscard]] std::unique_ptr<Store> open(const std::string& path, OpenMode mode);
  /// Local. A copy of the bytes of a file. Errors: io if there is none of that name.
  [[nodiscard]] std::vector<std::byte> bytes(const std::string& path) const;
  /// Local. Makes or replaces a file.
  void put(const std::string& path, std::vector<std::byte> bytes);

  struct File {
    std::shared_mutex mutex;  // shared by requests, exclusive while the size changes
    std::vector<std::byte> bytes;
  };

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::shared_ptr<File>> files_;
};

}  // namespace sill
