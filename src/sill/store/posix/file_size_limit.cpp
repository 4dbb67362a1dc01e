#include "sill/store/posix/file_size_limit.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "sill/base/error.hpp"

namespace sill {

FileSizeLimit::FileSizeLimit(std::int64_t bytes) {
  rlimit lower{};
  if (::getrlimit(RLIMIT_FSIZE, &before_) != 0) throw system_error(errno, "getrlimit", {});
  lower = before_;
  lower.rlim_cur = std::min(before_.rlim_cur, static_cast<rlim_t>(bytes));
  if (::setrlimit(RLIMIT_FSIZE, &lower) != 0) throw system_error(errno, "setrlimit", {});
  handler_ = ::signal(SIGXFSZ, SIG_IGN);
}

FileSizeLimit::~FileSizeLimit() {
  (void)::setrlimit(RLIMIT_FSIZE, &before_);
  ::signal(SIGXFSZ, handler_);
}

}  // namespace sill
