#include "sill/io/arrays/dataset_file.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/store/store.hpp"

namespace sill {

std::filesystem::file_status status_at(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, error);
  if (status.type() == std::filesystem::file_type::none) throw system_error(error.value(), "lstat", {.file = path});
  return status;
}

cdf::FileContents read_contents(const Resources& resources, const std::string& path) {
  Communicator& comm = resources.comm;
  std::vector<std::byte> header;
  std::int64_t file_bytes = 0;
  run_on_rank(comm, 0, [&] {
    const std::unique_ptr<Store> file = resources.open(path, OpenMode::read);
    file_bytes = file->size_bytes();
    constexpr std::int64_t first_bytes = 64 << 10;
    constexpr std::int64_t max_header_bytes = 64 << 20;
    for (std::int64_t bytes = std::min(first_bytes, file_bytes);; bytes = std::min(4 * bytes, file_bytes)) {
      header.resize(static_cast<std::size_t>(bytes));
      read_at(*file, 0, header);
      file_bytes = file->size_bytes();  // of a file that grows: it holds what the header counts
      if (cdf::parse_header(header, file_bytes, path)) break;
      if (bytes >= max_header_bytes) {
        throw Error({.code = ErrorCode::input,
                     .problem = fmt::format("the header of the file is longer than {}", format_bytes(max_header_bytes)),
                     .where = {.file = path},
                     .action = "see docs/arrays.md for what is read"});
      }
    }
    file->close();
  });
  comm.broadcast(std::as_writable_bytes(std::span(&file_bytes, 1)), 0);
  broadcast_all(comm, header, 0);
  return run_and_agree(comm, [&] { return *cdf::parse_header(header, file_bytes, path); });
}

}  // namespace sill
