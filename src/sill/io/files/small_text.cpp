#include "sill/io/files/small_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <span>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill {

std::optional<std::string> read_small_text(const std::string& path, std::int64_t max_bytes) {
  const auto store = open_posix(path, OpenMode::read);
  const std::int64_t bytes = store->size_bytes();
  if (bytes > max_bytes) return std::nullopt;
  std::string text(static_cast<std::size_t>(bytes), '\0');
  read_at(*store, 0, std::as_writable_bytes(std::span(text)));
  return text;
}

std::string read_text_on_all_ranks(Communicator& comm, const std::string& path, std::int64_t max_bytes,
                                   std::string_view what) {
  std::string text;
  run_on_rank(comm, 0, [&] {
    if (std::optional<std::string> found = read_small_text(path, max_bytes)) {
      text = *std::move(found);
      return;
    }
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("the file is longer than the {} that are allowed for {}",
                                        format_bytes(max_bytes), what),
                 .where = {.file = path},
                 .action = "check which file was named"});
  });
  broadcast_all(comm, text, 0);
  return text;
}

}  // namespace sill
