#include "sill/io/survey/file_stamp.hpp"

#include <sys/stat.h>

#include <cerrno>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/store/ranged/ranged_source.hpp"

namespace sill {

FileStamp own_stamp_of(const std::string& path) {
  if (is_url(path)) return {};
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw system_error(errno, "stat", {.file = path});
  return {status.st_size, std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

FileStamp stamp_of(const Resources& resources, const std::string& path) {
  FileStamp stamp;
  run_on_rank(resources.comm, 0, [&] { stamp = own_stamp_of(path); });
  resources.comm.broadcast(std::as_writable_bytes(std::span(&stamp, 1)), 0);
  return stamp;
}

}  // namespace sill
