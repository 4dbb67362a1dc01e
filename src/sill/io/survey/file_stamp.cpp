#include "sill/io/survey/file_stamp.hpp"

#include <sys/stat.h>

#include <cerrno>

#include "sill/base/error.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/store/ranged/ranged_source.hpp"

namespace sill {

FileStamp stamp_of_status(const struct stat& status) {
  return {status.st_size, std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

FileStamp own_stamp_of(const std::string& path) {
  if (is_url(path)) return {};
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw system_error(errno, "stat", {.file = path});
  return stamp_of_status(status);
}

FileStamp stamp_of(const Resources& resources, const std::string& path) {
  return value_from_rank(resources.comm, 0, [&] { return own_stamp_of(path); });
}

}  // namespace sill
