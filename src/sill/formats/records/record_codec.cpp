#include "sill/formats/records/record_codec.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "sill/base/byte_order.hpp"
#include "sill/base/crc32.hpp"
#include "sill/base/error.hpp"

namespace sill::records {
namespace {

constexpr std::int64_t bgzf_raw_bytes = 0xff00;
constexpr std::size_t bgzf_member_bytes = 64 << 10;
constexpr std::size_t bgzf_header_bytes = 18;
constexpr std::size_t bgzf_trailer_bytes = 8;
// gzip, with an extra field of 6 bytes: BC, 2 bytes, the size of the member less 1 (SAM 4.1).
constexpr std::array<std::uint8_t, 16> bgzf_begin{31, 139, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, 66, 67, 2, 0};
constexpr std::uint32_t table_magic = 0x184D2A5E;
constexpr std::uint32_t table_end_magic = 0x8F92EAB1;
constexpr std::uint32_t skippable_mask = 0xFFFFFFF0;
constexpr std::uint32_t skippable_magic = 0x184D2A50;
constexpr std::uint32_t zstd_magic = 0xFD2FB528;
constexpr std::int64_t table_fixed_bytes = 8 + 9;
constexpr std::int64_t table_entry_bytes = 8;

[[noreturn]] void refuse_form(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  bytes.resize(bytes.size() + sizeof(T));
  store(bytes.data() + bytes.size() - sizeof(T), value, ByteOrder::little);
}

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t at) {
  return at + 4 <= bytes.size() ? load<std::uint32_t>(bytes.data() + at, ByteOrder::little) : 0;
}

bool begins_bgzf(std::span<const std::byte> bytes) {
  return bytes.size() >= bgzf_header_bytes && std::memcmp(bytes.data(), bgzf_begin.data(), bgzf_begin.size()) == 0;
}

std::size_t bgzf_size(std::span<const std::byte> bytes) {
  return std::size_t{load<std::uint16_t>(bytes.data() + bgzf_begin.size(), ByteOrder::little)} + 1;
}

Compression compression_of(Codec codec) {
  switch (codec) {
    case Codec::none: return Compression::none;
    case Codec::zstd: return Compression::zstd;
    case Codec::bgzf: break;
  }
  return Compression::deflate;
}

}  // namespace

std::string_view name_of(Codec codec) {
  switch (codec) {
    case Codec::none: return "none";
    case Codec::zstd: return "zstd";
    case Codec::bgzf: break;
  }
  return "bgzf";
}

std::optional<Codec> codec_named(std::string_view name) {
  const auto* const found = std::ranges::find(codecs, name, name_of);
  return found == codecs.end() ? std::nullopt : std::optional(*found);
}

FrameForm checked(FrameForm form) {
  if (form.codec == Codec::bgzf) form.frame_bytes = bgzf_raw_bytes;
  constexpr std::int64_t min = 1 << 10;
  if (form.frame_bytes < min || form.frame_bytes > max_frame_bytes) {
    refuse_form(fmt::format("frames of {} bytes", form.frame_bytes), "give 1K to 256M");
  }
  const int highest = max_level(compression_of(form.codec));
  if (form.codec != Codec::none && (form.level < 1 || form.level > highest)) {
    refuse_form(fmt::format("{} has no level {}", name_of(form.codec), form.level),
                fmt::format("give 1 to {}", highest));
  }
  return form;
}

FramePacker::FramePacker(const FrameForm& form)
    : form_(form), compressor_(compression_of(form.codec), form.level, true) {
  if (form.codec == Codec::none) return;
  if (form.codec == Codec::bgzf) stored_.emplace(Compression::deflate, 0);
  room_.resize(form.codec == Codec::bgzf ? bgzf_member_bytes
                                         : compressor_.max_bytes(static_cast<std::size_t>(form.frame_bytes)));
}

std::int64_t FramePacker::add(std::span<const std::byte> raw, std::vector<std::byte>& packed) {
  const std::size_t before = packed.size();
  if (form_.codec == Codec::none) {
    packed.insert(packed.end(), raw.begin(), raw.end());
  } else if (form_.codec == Codec::zstd) {
    const std::size_t size = *compressor_.compress(raw, room_);
    packed.insert(packed.end(), room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(size));
  } else {
    const std::span<std::byte> room =
        std::span(room_).subspan(bgzf_header_bytes, room_.size() - bgzf_header_bytes - bgzf_trailer_bytes);
    std::optional<std::size_t> size = compressor_.compress(raw, room);
    if (!size) size = stored_->compress(raw, room);
    std::memcpy(room_.data(), bgzf_begin.data(), bgzf_begin.size());
    const std::size_t all = bgzf_header_bytes + *size + bgzf_trailer_bytes;
    store(room_.data() + bgzf_begin.size(), static_cast<std::uint16_t>(all - 1), ByteOrder::little);
    store(room.data() + *size, crc32_of(raw), ByteOrder::little);
    store(room.data() + *size + 4, static_cast<std::uint32_t>(raw.size()), ByteOrder::little);
    packed.insert(packed.end(), room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(all));
  }
  return static_cast<std::int64_t>(packed.size() - before);
}

std::vector<std::byte> end_of_frames(Codec codec, std::span<const FrameSize> frames) {
  if (codec == Codec::none) return {};
  std::vector<std::byte> table;
  if (codec == Codec::bgzf) {
    FramePacker({.codec = codec, .level = 1}).add({}, table);
    return table;
  }
  const auto bytes = static_cast<std::int64_t>(frames.size()) * table_entry_bytes + table_fixed_bytes - 8;
  append(table, table_magic);
  append(table, static_cast<std::uint32_t>(bytes));
  for (const FrameSize& each : frames) {
    append(table, static_cast<std::uint32_t>(each.packed));
    append(table, static_cast<std::uint32_t>(each.raw));
  }
  append(table, static_cast<std::uint32_t>(frames.size()));
  append(table, std::uint8_t{0});  // entries have no checksums, because frames have them
  append(table, table_end_magic);
  return table;
}

Codec codec_of(std::span<const std::byte> first_bytes) {
  const std::uint32_t magic = word_at(first_bytes, 0);
  if (magic == zstd_magic || magic == table_magic) return Codec::zstd;
  return begins_bgzf(first_bytes) ? Codec::bgzf : Codec::none;
}

std::optional<std::int64_t> frame_table_bytes(std::span<const std::byte> last) {
  if (last.size() != 9 || word_at(last, 5) != table_end_magic || last[4] != std::byte{0}) return std::nullopt;
  return std::int64_t{word_at(last, 0)} * table_entry_bytes + table_fixed_bytes;
}

std::optional<std::vector<FrameSize>> frames_in_table(std::span<const std::byte> table) {
  std::vector<FrameSize> frames;
  for (std::size_t at = 8; at + 9 + 8 <= table.size(); at += 8) {
    const FrameSize size{word_at(table, at), word_at(table, at + 4)};
    if (size.packed == 0 || size.raw > max_frame_bytes) return std::nullopt;
    frames.push_back(size);
  }
  return frames;
}

std::optional<std::int64_t> bytes_to_find_end(Codec codec, std::span<const std::byte> header) {
  if (codec == Codec::bgzf) {
    if (!begins_bgzf(header)) return std::nullopt;
    return static_cast<std::int64_t>(bgzf_size(header));
  }
  const std::uint32_t magic = word_at(header, 0);
  if ((magic & skippable_mask) == skippable_magic) return std::int64_t{word_at(header, 4)} + 8;
  const unsigned long long raw = ZSTD_getFrameContentSize(header.data(), header.size());
  if (magic != zstd_magic || raw > std::uint64_t{max_frame_bytes}) return std::nullopt;
  return static_cast<std::int64_t>(ZSTD_compressBound(raw)) + frame_header_bytes;
}

std::optional<FrameSize> frame_at(Codec codec, std::span<const std::byte> bytes) {
  if (codec == Codec::bgzf) {
    if (!begins_bgzf(bytes) || bgzf_size(bytes) > bytes.size() ||
        bgzf_size(bytes) < bgzf_header_bytes + bgzf_trailer_bytes)
      return std::nullopt;
    const std::size_t size = bgzf_size(bytes);
    const std::uint32_t raw = word_at(bytes, size - 4);
    if (raw > bgzf_member_bytes) return std::nullopt;
    return FrameSize{static_cast<std::int64_t>(size), raw};
  }
  const std::size_t size = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0 || !bytes_to_find_end(codec, bytes)) return std::nullopt;
  const bool is_skipped = (word_at(bytes, 0) & skippable_mask) == skippable_magic;
  return FrameSize{static_cast<std::int64_t>(size),
                   is_skipped ? 0 : static_cast<std::int64_t>(ZSTD_getFrameContentSize(bytes.data(), bytes.size()))};
}

std::optional<std::string_view> unpack_frame(Codec codec, std::span<const std::byte> packed, std::span<std::byte> raw) {
  if (codec != Codec::bgzf) return decompress(compression_of(codec), packed, raw);
  const std::span<const std::byte> stream =
      packed.subspan(bgzf_header_bytes, packed.size() - bgzf_header_bytes - bgzf_trailer_bytes);
  if (const auto defect = decompress(Compression::deflate, stream, raw)) return defect;
  if (crc32_of(raw) != word_at(packed, packed.size() - bgzf_trailer_bytes)) return "its checksum differs";
  return std::nullopt;
}

}  // namespace sill::records
