#include "sill/formats/zarr/zarr_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace sill::zarr {
namespace {

constexpr std::size_t checksum_bytes = 4;

}  // namespace

std::string ArrayForm::file_of(const Index& shard_index) const {
  const std::size_t dimensions = shard_index.size() - (has_inner_bytes ? 1 : 0);
  if (dimensions == 0) return prefix.empty() ? "0" : "c";
  std::string name = prefix;
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (d > 0) name += separator;
    name += fmt::to_string(shard_index[d]);
  }
  return name;
}

std::optional<Index> ArrayForm::index_of(const std::string& file) const {
  Index index;
  const char* const end = file.data() + file.size();
  const char* at = file.data() + std::min(prefix.size(), file.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    at = std::from_chars(at, end, index.emplace_back()).ptr;
    if (at != end) ++at;
  }
  return file_of(index) == file ? std::optional(index) : std::nullopt;
}

std::int64_t index_bytes(std::int64_t chunks, bool has_checksum) {
  return chunks * 16 + (has_checksum ? static_cast<std::int64_t>(checksum_bytes) : 0);
}

std::vector<std::byte> shard_index(std::span<const ChunkPlace> places) {
  std::vector<std::byte> index(static_cast<std::size_t>(index_bytes(std::ssize(places), true)));
  std::byte* to = index.data();
  for (const ChunkPlace& each : places) {
    store(to, static_cast<std::uint64_t>(each.offset_bytes), ByteOrder::little);
    store(to + 8, static_cast<std::uint64_t>(each.bytes), ByteOrder::little);
    to += 16;
  }
  store(to, crc32c_of(std::span(index).first(index.size() - checksum_bytes)), ByteOrder::little);
  return index;
}

std::optional<std::vector<std::optional<ChunkPlace>>> parse_shard_index(std::span<const std::byte> index,
                                                                        bool has_checksum, std::int64_t file_bytes) {
  if (has_checksum) {
    const std::span<const std::byte> entries = index.first(index.size() - checksum_bytes);
    if (crc32c_of(entries) != load<std::uint32_t>(index.data() + entries.size(), ByteOrder::little))
      return std::nullopt;
    index = entries;
  }
  std::vector<std::optional<ChunkPlace>> places;
  for (; !index.empty(); index = index.subspan(16)) {
    const auto offset = load<std::uint64_t>(index.data(), ByteOrder::little);
    const auto bytes = load<std::uint64_t>(index.data() + 8, ByteOrder::little);
    if (ChunkPlace{static_cast<std::int64_t>(offset), static_cast<std::int64_t>(bytes)} == not_stored) {
      places.emplace_back();
      continue;
    }
    const auto all = static_cast<std::uint64_t>(file_bytes);
    if (offset > all || bytes > all - offset) return std::nullopt;
    places.emplace_back(ChunkPlace{static_cast<std::int64_t>(offset), static_cast<std::int64_t>(bytes)});
  }
  return places;
}

}  // namespace sill::zarr
