#include "sill/io/survey/index_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/base/user_text.hpp"
#include "sill/io/files/sidecar_header.hpp"
#include "sill/io/survey/reading_blocks.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

constexpr std::int64_t block_traces = 16384;
constexpr int max_word_bytes = 4;

// Copies the words of each of `count` headers between `parts`, where they have the positions of the header, and
// `packed`, where they are consecutive.
template <class Copy>
void for_each_word(std::span<const IndexWord> words, ByteRange part, std::int64_t count, Copy&& copy) {
  std::int64_t packed = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    for (const IndexWord& word : words) {
      copy(packed, i * part.length + word.byte - 1 - part.offset, word.type.bytes);
      packed += word.type.bytes;
    }
  }
}

bool can_be_stored(std::int64_t byte, segy::WordType type) {
  return (type.kind == segy::WordKind::signed_integer || type.kind == segy::WordKind::unsigned_integer) &&
         type.bytes >= 1 && type.bytes <= max_word_bytes && byte >= 1 &&
         byte <= segy::trace_header_bytes + 1 - type.bytes;
}

}  // namespace

IndexWord index_word_of(const segy::WordRef& word) {
  if (!can_be_stored(word.byte, word.type))
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("an index cannot store '{}'", echoed(word.name)),
                 .action = "name integer words of at most 4 bytes within the first 240 bytes of the trace headers"});
  return {word.byte, word.type};
}

void encode(const IndexWord& word, std::byte* into) {
  store<std::int64_t>(into, word.byte, ByteOrder::little);
  store<std::uint32_t>(into + 8, word.type.kind == segy::WordKind::unsigned_integer ? 1 : 0, ByteOrder::little);
  store<std::uint32_t>(into + 12, static_cast<std::uint32_t>(word.type.bytes), ByteOrder::little);
}

IndexWord decoded_index_word(const std::byte* from) {
  const auto byte = load<std::int64_t>(from, ByteOrder::little);
  const auto kind = load<std::uint32_t>(from + 8, ByteOrder::little);
  const segy::WordType type{kind == 0 ? segy::WordKind::signed_integer : segy::WordKind::unsigned_integer,
                            static_cast<int>(load<std::uint32_t>(from + 12, ByteOrder::little))};
  if (kind <= 1 && can_be_stored(byte, type)) return {static_cast<int>(byte), type};
  throw Error({.code = ErrorCode::input, .problem = "an index contains a word that indexes cannot store"});
}

IndexWords::IndexWords(std::vector<IndexWord> words, std::int64_t traces, std::int64_t first_byte,
                       std::uint64_t index_checksum)
    : words_(std::move(words)), traces_(traces), first_byte_(first_byte), index_checksum_(index_checksum) {
  std::int64_t end = 0;
  part_.offset = segy::trace_header_bytes;
  for (const IndexWord& word : words_) {
    trace_bytes_ += word.type.bytes;
    part_.offset = std::min<std::int64_t>(part_.offset, word.byte - 1);
    end = std::max<std::int64_t>(end, word.byte - 1 + word.type.bytes);
  }
  part_.length = end - part_.offset;
}

bool IndexWords::hold(std::span<const segy::WordRef> wanted) const {
  return std::ranges::all_of(wanted, [&](const segy::WordRef& word) {
    return std::ranges::find(words_, IndexWord{word.byte, word.type}) != words_.end();
  });
}

std::int64_t IndexWords::blocks() const { return (traces_ + block_traces - 1) / block_traces; }

std::int64_t IndexWords::bytes() const { return traces_ * trace_bytes_ + blocks() * sidecar_checksum_bytes; }

ItemRange IndexWords::traces_of(std::int64_t block) const {
  return {block * block_traces, std::min(block_traces, traces_ - block * block_traces)};
}

ItemRange IndexWords::blocks_of(ItemRange traces) const {
  if (traces.empty()) return {};
  const std::int64_t first = traces.first / block_traces;
  return {first, (traces.end() - 1) / block_traces + 1 - first};
}

std::int64_t IndexWords::byte_of(std::int64_t block) const {
  return first_byte_ + block * (block_traces * trace_bytes_ + sidecar_checksum_bytes);
}

std::vector<std::byte> IndexWords::memory_of(std::int64_t block) const {
  return std::vector<std::byte>(
      static_cast<std::size_t>(traces_of(block).count * trace_bytes_ + sidecar_checksum_bytes));
}

void IndexWords::require_same_index(Store& index) const {
  std::array<std::byte, sidecar_checksum_bytes> stored{};
  read_at(index, first_byte_ - sidecar_checksum_bytes, stored);
  if (load<std::uint64_t>(stored.data(), ByteOrder::little) == index_checksum_) return;
  throw Error({.code = ErrorCode::input,
               .problem = "the index was replaced, or the ranks see different files under this path",
               .where = {.file = index.name()}});
}

void IndexWords::write_share(const Resources& resources, Store& data, const segy::TraceTable& table,
                             Store& index) const {
  const ItemRange mine = block_of(blocks(), resources.comm.size(), resources.comm.rank());
  const std::int64_t count = mine.empty() ? 0 : traces_of(mine.end() - 1).end() - traces_of(mine.first).first;
  resources.begin_stage("storing header words", count * part_.length);
  parallel_for(resources.threads(), mine.count, [&](std::int64_t task, int /*thread*/) {
    const ItemRange traces = traces_of(mine.first + task);
    std::vector<std::byte> parts(static_cast<std::size_t>(traces.count * part_.length));
    read_trace_parts(data, table, traces, part_, parts.data());
    write(index, mine.first + task, parts);
    count_done(resources.progress, std::ssize(parts));
  });
}

std::optional<std::int64_t> IndexWords::first_misfit(Store& index, Store& data, const segy::TraceTable& table) const {
  constexpr std::int64_t looks = 18;
  std::vector<std::byte> stored;
  std::vector<std::byte> header(static_cast<std::size_t>(part_.length));
  const std::int64_t last = traces_ - 1;
  for (std::int64_t i = 0; i < looks && last >= 0; ++i) {
    const std::int64_t trace = last / (looks - 1) * i + last % (looks - 1) * i / (looks - 1);
    const std::int64_t block = trace / block_traces;
    stored.resize(static_cast<std::size_t>(traces_of(block).count * part_.length));
    read(index, block, stored);
    read_at(data, table.bytes_of({trace, 1}).offset + part_.offset, header);
    const auto own = stored.begin() + (trace - traces_of(block).first) * part_.length;
    for (const IndexWord& word : words_) {
      const std::int64_t at = word.byte - 1 - part_.offset;
      if (!std::equal(own + at, own + at + word.type.bytes, header.begin() + at)) return trace;
    }
  }
  return std::nullopt;
}

void IndexWords::write(Store& index, std::int64_t block, std::span<const std::byte> parts) const {
  std::vector<std::byte> bytes = memory_of(block);
  const std::span<std::byte> packed = std::span(bytes).first(bytes.size() - sidecar_checksum_bytes);
  for_each_word(words_, part_, traces_of(block).count, [&](std::int64_t to, std::int64_t from, int length) {
    std::memcpy(packed.data() + to, parts.data() + from, static_cast<std::size_t>(length));
  });
  Checksum sum;
  sum.add(packed);
  put_checksum(sum, std::span(bytes).last(sidecar_checksum_bytes));
  write_at(index, byte_of(block), bytes);
}

void IndexWords::read(Store& index, std::int64_t block, std::span<std::byte> parts) const {
  std::vector<std::byte> bytes = memory_of(block);
  read_at(index, byte_of(block), bytes);
  const std::span<const std::byte> packed = std::span(bytes).first(bytes.size() - sidecar_checksum_bytes);
  Checksum sum;
  sum.add(packed);
  if (!has_checksum(sum, std::span(bytes).last(sidecar_checksum_bytes)))
    throw Error({.code = ErrorCode::input,
                 .problem = "the words that this index stores are damaged: their checksum is wrong",
                 .where = {.file = index.name(), .byte = byte_of(block)}});
  for_each_word(words_, part_, traces_of(block).count, [&](std::int64_t from, std::int64_t to, int length) {
    std::memcpy(parts.data() + to, packed.data() + from, static_cast<std::size_t>(length));
  });
}

}  // namespace sill
