// Header words of all traces of a file, as its index stores them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sill/formats/segy/description/trace_table.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/layout/range.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// A word that an index stores: an integer of at most 4 bytes, within the first trace header.
struct IndexWord {
  int byte = 1;  ///< from 1
  segy::WordType type;

  friend bool operator==(const IndexWord&, const IndexWord&) = default;
};

/// Local. `word`, if an index can store it. Errors: usage.
[[nodiscard]] IndexWord index_word_of(const segy::WordRef& word);

/// A word as an index file names it: its byte (64 bits), kind (0 signed, 1 unsigned) and bytes (32 bits each).
inline constexpr std::int64_t index_word_bytes = 16;
inline constexpr std::int64_t max_index_words = 64;
/// Local. Puts a word there, and takes one from there. Errors: input if no index can store it.
void encode(const IndexWord& word, std::byte* into);
[[nodiscard]] IndexWord decoded_index_word(const std::byte* from);

/// Where in an index file the words of all traces lie, and how: docs/index-file.md. The words are stored as they stand
/// in the headers, in blocks of traces that have a checksum each. Const functions may be called by several threads.
class IndexWords {
 public:
  /// Local. `words` differ; there is at least one. The blocks begin at `first_byte` of the index file, and
  /// `index_checksum` is that of the index before them.
  IndexWords(std::vector<IndexWord> words, std::int64_t traces, std::int64_t first_byte, std::uint64_t index_checksum);

  [[nodiscard]] std::span<const IndexWord> words() const { return words_; }
  [[nodiscard]] std::int64_t first_byte() const { return first_byte_; }
  [[nodiscard]] std::uint64_t index_checksum() const { return index_checksum_; }
  /// Local. Whether each of `wanted` is stored.
  [[nodiscard]] bool hold(std::span<const segy::WordRef> wanted) const;
  /// Local. Bytes of the index file that all blocks take.
  [[nodiscard]] std::int64_t bytes() const;
  [[nodiscard]] std::int64_t blocks() const;
  /// Local. The traces of a block, counted in the file. Also: the blocks that hold `traces`.
  [[nodiscard]] ItemRange traces_of(std::int64_t block) const;
  [[nodiscard]] ItemRange blocks_of(ItemRange traces) const;
  /// Local. The bytes of a header, from 0, from the first of the words to the end of the last.
  [[nodiscard]] ByteRange part() const { return part_; }

  /// Local. Errors: input if `index` is not the index file that the other ranks see; io.
  void require_same_index(Store& index) const;
  /// Local. Writes this rank's share of the blocks into `index`, on several threads, from the headers of the file that
  /// `data` is open on. Errors: io.
  void write_share(const Resources& resources, Store& data, const segy::TraceTable& table, Store& index) const;
  /// Local. The first of 18 traces, the first and the last of the file among them, whose header has other words than
  /// are stored. Errors: as `read`.
  [[nodiscard]] std::optional<std::int64_t> first_misfit(Store& index, Store& data,
                                                         const segy::TraceTable& table) const;
  /// Local. Reads a block into `parts`, of each header the bytes of the words and no others. Errors: io; input if the
  /// block has another checksum.
  void read(Store& index, std::int64_t block, std::span<std::byte> parts) const;

 private:
  [[nodiscard]] std::int64_t byte_of(std::int64_t block) const;
  void write(Store& index, std::int64_t block, std::span<const std::byte> parts) const;
  [[nodiscard]] std::vector<std::byte> memory_of(std::int64_t block) const;

  std::vector<IndexWord> words_;
  std::int64_t traces_ = 0;
  std::int64_t first_byte_ = 0;
  std::uint64_t index_checksum_ = 0;
  std::int64_t trace_bytes_ = 0;  // of the words of one trace
  ByteRange part_;
};

}  // namespace sill
