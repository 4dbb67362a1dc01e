// A lower limit on the sizes of the files that this process writes.
#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace sill {

/// While this object lives, writes beyond byte `bytes` of any file fail with EFBIG (RLIMIT_FSIZE), as a full disk would
/// make them fail. The signal SIGXFSZ is ignored meanwhile.
class FileSizeLimit {
 public:
  /// Local. Lowers the limit of the whole process. Errors: io.
  explicit FileSizeLimit(std::int64_t bytes);
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit();

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

}  // namespace sill
