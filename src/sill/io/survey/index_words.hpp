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

/// Local. Returns byte and type of `word`. Errors: usage if an index cannot store it.
[[nodiscard]] IndexWord index_word_of(const segy::WordRef& word);

/// The size of a word's entry in an index file: its byte (64 bits), kind (0 signed, 1 unsigned) and size (32 bits
/// each).
inline constexpr std::int64_t index_word_bytes = 16;
inline constexpr std::int64_t max_index_words = 64;
/// Local. Write the entry of a word to `into`; return the word whose entry is at `from`. Errors: input if an index
/// cannot store the word.
void encode(const IndexWord& word, std::byte* into);
[[nodiscard]] IndexWord decoded_index_word(const std::byte* from);

/// The position and form of the words of all traces in an index file: docs/index-file.md. The words are stored
/// unchanged, in blocks of traces with a checksum each. Several threads may call const functions.
class IndexWords {
 public:
  /// Local. Describes the stored words. `words` are different, and there is at least one. The blocks begin at
  /// `first_byte` of the index file. `index_checksum` is the checksum of the index before them.
  IndexWords(std::vector<IndexWord> words, std::int64_t traces, std::int64_t first_byte, std::uint64_t index_checksum);

  [[nodiscard]] std::span<const IndexWord> words() const { return words_; }
  [[nodiscard]] std::int64_t first_byte() const { return first_byte_; }
  [[nodiscard]] std::uint64_t index_checksum() const { return index_checksum_; }
  /// Local. Returns true if each of `wanted` is stored.
  [[nodiscard]] bool hold(std::span<const segy::WordRef> wanted) const;
  /// Local. Returns the size of all blocks in the index file.
  [[nodiscard]] std::int64_t bytes() const;
  [[nodiscard]] std::int64_t blocks() const;
  /// Local. Return the traces of a block, numbered within the file; the blocks that contain `traces`.
  [[nodiscard]] ItemRange traces_of(std::int64_t block) const;
  [[nodiscard]] ItemRange blocks_of(ItemRange traces) const;
  /// Local. Returns the range of header bytes, counted from 0, from the beginning of the first stored word to the end
  /// of the last stored word.
  [[nodiscard]] ByteRange part() const { return part_; }

  /// Local. Checks that `index` is the index file that the other ranks see. Errors: input if it is not; io.
  void require_same_index(Store& index) const;
  /// Local. Writes this rank's share of the blocks to `index`, on several threads, from the trace headers in the file
  /// `data`. Errors: io.
  void write_share(const Resources& resources, Store& data, const segy::TraceTable& table, Store& index) const;
  /// Local. Compares 18 traces, including the first and the last of the file; returns the first trace whose header
  /// differs from the stored words, or nullopt if there is none. Errors: as `read`.
  [[nodiscard]] std::optional<std::int64_t> first_misfit(Store& index, Store& data,
                                                         const segy::TraceTable& table) const;
  /// Local. Reads a block. Copies the stored words of each header into `parts` and leaves all other bytes of `parts`
  /// unchanged. Errors: io; input if the checksum of the block is wrong.
  void read(Store& index, std::int64_t block, std::span<std::byte> parts) const;

 private:
  [[nodiscard]] std::int64_t byte_of(std::int64_t block) const;
  void write(Store& index, std::int64_t block, std::span<const std::byte> parts) const;
  [[nodiscard]] std::vector<std::byte> memory_of(std::int64_t block) const;

  std::vector<IndexWord> words_;
  std::int64_t traces_ = 0;
  std::int64_t first_byte_ = 0;
  std::uint64_t index_checksum_ = 0;
  std::int64_t trace_bytes_ = 0;  // bytes of the words of one trace
  ByteRange part_;
};

}  // namespace sill
