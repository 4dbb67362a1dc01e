// A temporary folder that all ranks of a test use.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "store/temporary_folder.hpp"
#include "support/world.hpp"

namespace sill::test {

/// Made by rank 0, known to all, removed when every rank is done with it.
class SharedFolder {
 public:
  /// Collective.
  explicit SharedFolder(Communicator& comm,
                        const std::filesystem::path& within = std::filesystem::temp_directory_path())
      : comm_(comm) {
    if (comm.rank() == 0) own_.emplace(within);
    path_ = of_first_rank(comm, own_ ? own_->path() : "");
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  /// Collective.
  ~SharedFolder() { comm_.barrier(); }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  /// Collective. Rank 0 makes a file.
  void put(const std::string& name, std::span<const std::byte> bytes) const {
    if (comm_.rank() == 0) make_file(path_ + "/" + name, bytes);
    comm_.barrier();
  }
  /// Collective. Rank 0 removes all files.
  void clear() const {
    comm_.barrier();
    if (comm_.rank() == 0) {
      for (const auto& each : std::filesystem::directory_iterator(path_)) std::filesystem::remove_all(each.path());
    }
    comm_.barrier();
  }

 private:
  Communicator& comm_;
  std::optional<TemporaryFolder> own_;  // on rank 0
  std::string path_;
};

}  // namespace sill::test
