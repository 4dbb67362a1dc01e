// Files without a name: they vanish when the process ends in any way, and no other process can open them.
#pragma once

#include <optional>
#include <string>

namespace sill {

/// A file without a name in a folder, open for reading and writing while this object lives; only its owner has access.
/// If /proc is not available, the file has a name, the destructor removes it, and a file that replaces it gets that
/// name.
class UnnamedFile {
 public:
  /// Local. Creates the file. Errors: io if no file can be created in the folder.
  explicit UnnamedFile(const std::string& folder);
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;
  ~UnnamedFile();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Local. Returns a path by which this process can open the file again.
  [[nodiscard]] std::string path() const;

 private:
  int descriptor_ = -1;
  std::string name_;  // empty if the file has no name
};

/// Local. Returns the descriptor of the unnamed file with the path `path`; nullopt for any other path.
[[nodiscard]] std::optional<int> unnamed_file_at(const std::string& path);

/// Local. Returns the folder in which an unnamed file was created.
[[nodiscard]] std::string folder_of_unnamed(int descriptor);

}  // namespace sill
