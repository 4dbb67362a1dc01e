// A lower limit on the sizes of the files that this process writes.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "sill/base/error.hpp"

namespace sill {

/// While this object lives, writes beyond byte `bytes` of any file fail with EFBIG (RLIMIT_FSIZE), as a full disk would
/// make them fail. The signal SIGXFSZ is ignored meanwhile.
class FileSizeLimit {
 public:
  /// Local. Lowers the limit of the whole process. Errors: io.
  explicit FileSizeLimit(std::int64_t bytes) {
    if (::getrlimit(RLIMIT_FSIZE, &before_) != 0) throw system_error(errno, "getrlimit", {});
    rlimit lower = before_;
    lower.rlim_cur = std::min(before_.rlim_cur, static_cast<rlim_t>(bytes));
    if (::setrlimit(RLIMIT_FSIZE, &lower) != 0) throw system_error(errno, "setrlimit", {});
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    (void)::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

}  // namespace sill
