#include "kernels/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sill/base/error.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill::kernels {
namespace {

[[noreturn]] void refuse_bytes() {
  throw usage_error("the files of the run would exceed 2^63 - 1 bytes", "choose smaller sizes");
}

constexpr std::int64_t part_bytes = 1 << 20;

// Returns bytes for a message: text unchanged, others as numbers.
std::string shown(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool is_text = std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
  if (is_text) return fmt::format("{:?}", text);
  std::string numbers;
  for (const std::byte byte : bytes)
    numbers += fmt::format("{}{:02x}", numbers.empty() ? "" : " ", static_cast<int>(byte));
  return numbers;
}

}  // namespace

void require_content(const std::string& path, std::int64_t size_bytes, const ExpectedContent& expected) {
  const std::unique_ptr<Store> store = open_posix(path, OpenMode::read);
  const auto refuse = [&](std::string problem, std::optional<std::int64_t> byte) {
    throw Error({.code = ErrorCode::input, .problem = std::move(problem), .where = {.file = path, .byte = byte}});
  };
  if (store->size_bytes() != size_bytes) {
    refuse(fmt::format("the file has {} bytes instead of {}", store->size_bytes(), size_bytes), std::nullopt);
  }
  std::vector<std::byte> found;
  std::vector<std::byte> wanted;
  for (std::int64_t offset = 0; offset < size_bytes; offset += part_bytes) {
    const std::int64_t length = std::min(part_bytes, size_bytes - offset);
    found.resize(static_cast<std::size_t>(length));
    wanted.resize(found.size());
    read_at(*store, offset, found);
    expected({offset, length}, wanted);
    const auto [at, other] = std::ranges::mismatch(found, wanted);
    if (at == found.end()) continue;
    const auto place = static_cast<std::size_t>(at - found.begin());
    const std::size_t few = std::min<std::size_t>(16, found.size() - place);
    refuse(fmt::format("the file does not contain the computed values: {} instead of {}",
                       shown(std::span(found).subspan(place, few)), shown(std::span(wanted).subspan(place, few))),
           offset + static_cast<std::int64_t>(place));
  }
}

std::int64_t sum_bytes(std::int64_t a, std::int64_t b) {
  std::int64_t bytes = 0;
  if (__builtin_add_overflow(a, b, &bytes)) refuse_bytes();
  return bytes;
}

std::int64_t product_bytes(std::int64_t a, std::int64_t b) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(a, b, &bytes)) refuse_bytes();
  return bytes;
}

}  // namespace sill::kernels
