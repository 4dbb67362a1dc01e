// Small texts to files, to standard output and to standard error.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sill/io/resources.hpp"
#include "sill/store/part_file.hpp"

namespace sill::cli {

/// A text file that takes its name only when it is complete. Used by one rank.
class WholeTextFile {
 public:
  /// Local. Makes the file beside `path`, through the stores of `resources`. Errors: io.
  WholeTextFile(const Resources& resources, const std::string& path);
  /// Local. Adds `text` at the end. Errors: io.
  void write(std::string_view text);
  /// Local. Gives the file its name; on stable storage if the policy says so. Errors: io.
  void finish();

 private:
  bool durable_;
  PartFile part_;
  std::unique_ptr<Store> store_;
  std::int64_t size_bytes_ = 0;
};

/// A file to which text is added, whatever it holds already. Used by one rank.
class AppendedFile {
 public:
  /// Local. Makes the file if it is not there. Errors: io, also for a pipe that nobody reads.
  explicit AppendedFile(const std::string& path);
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;
  ~AppendedFile();
  /// Local. Errors: io.
  void append(std::string_view text);

 private:
  std::string path_;
  int descriptor_;
};

/// Local. Writes to standard output at once. Errors: io.
void print_text(std::string_view text);

/// Local. Writes to standard error as much as goes; who cannot even be told of an error is past help.
void warn_text(std::string_view text) noexcept;

}  // namespace sill::cli
