// A limit on the size of files, as `ulimit -f` sets it.
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <cstdint>

namespace sill::test {

/// While it lives, no file that this process writes may exceed a size.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::int64_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(bytes);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

}  // namespace sill::test
