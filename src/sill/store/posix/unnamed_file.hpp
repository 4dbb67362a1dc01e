// Files without a name: they are gone with the process, however it ends, and nobody else can open them.
#pragma once

#include <optional>
#include <string>

namespace sill {

/// A file without a name in a folder, open for reading and writing while this object lives, for its owner alone. Where
/// /proc is not there it has a name, which goes with this object, and what replaces the file has that name.
class UnnamedFile {
 public:
  /// Local. Errors: io if no file can be made in the folder.
  explicit UnnamedFile(const std::string& folder);
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;
  ~UnnamedFile();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Local. A path by which this process can open the file again.
  [[nodiscard]] std::string path() const;

 private:
  int descriptor_ = -1;
  std::string name_;  // empty: it has none
};

/// Local. The descriptor of the file that `path` stands for, if it is the path of a file without a name.
[[nodiscard]] std::optional<int> unnamed_file_at(const std::string& path);

/// Local. The folder in which an unnamed file was made.
[[nodiscard]] std::string folder_of_unnamed(int descriptor);

}  // namespace sill
