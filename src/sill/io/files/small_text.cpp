#include "sill/io/files/small_text.hpp"

#include <cstddef>
#include <span>

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

}  // namespace sill
