// A small text file that appears under its name only when it is complete.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sill/io/session/resources.hpp"
#include "sill/store/part/part_file.hpp"

namespace sill {

/// A text file that takes its name only when it is complete. Used by one rank.
class WholeTextFile {
 public:
  /// Local. Creates the file next to `path`, through the stores of `resources`. Errors: io.
  WholeTextFile(const Resources& resources, const std::string& path);
  /// Local. Appends `text`. Errors: io.
  void write(std::string_view text);
  /// Local. Closes the file without giving it its name, so that errors reported on closing are thrown before other
  /// files get their names. Errors: io.
  void close();
  /// Local. Gives the file its name, and syncs it if the policy is durable. Errors: io.
  void finish();
  /// Local. Writes `text` and gives the file its name. Errors: io.
  void finish_with(std::string_view text) {
    write(text);
    finish();
  }

 private:
  bool durable_;
  Meter* meter_;
  PartFile part_;
  std::unique_ptr<Store> store_;
  std::int64_t size_bytes_ = 0;
};

}  // namespace sill
