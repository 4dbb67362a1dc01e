// Collects the elements of chunks from all ranks, and compresses the chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/array/chunk_grid.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/array/element_conversion.hpp"
#include "sill/formats/codec/compressor.hpp"
#include "sill/formats/codec/filters.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/layout/range.hpp"
#include "sill/move/mover.hpp"

namespace sill {

/// The chunks of a variable.
struct ChunkedVariable {
  ChunkGrid grid = {};
  ElementForm form = {};               ///< in the file
  std::array<std::byte, 8> fill = {};  ///< element in the form of the file, for elements that no rank passes
  std::vector<Filter> filters = {};
  int level = 0;      ///< of compression
  int keep_bits = 0;  ///< ChunkCodec::keep_bits
};

/// A chunk of a variable.
struct ChunkOfVariable {
  std::size_t variable = 0;
  std::int64_t number = 0;
};

/// The chunks that this rank has compressed, and the sizes and ranks of all chunks.
struct EncodedChunks {
  using Memory = std::shared_ptr<std::vector<std::byte>>;
  struct Own {
    std::size_t at = 0;    ///< index in the list of chunks
    Memory memory = {};    ///< begins with the chunk; may be longer, at most about twice
    std::size_t size = 0;  ///< bytes of the chunk
    [[nodiscard]] std::span<std::byte> bytes() const { return std::span(*memory).first(size); }
  };
  std::vector<Own> own = {};             ///< ascending
  std::vector<std::int64_t> bytes = {};  ///< sizes of all chunks, the same on all ranks; 0: no rank passed an element
  std::vector<ItemRange> of_rank = {};   ///< ranges of the list, the same on all ranks; they contain all chunks with
                                         ///< elements
};

/// Memory of chunks that were written, for other chunks. New memory costs more than a copy: the system zeroes it page
/// by page. Several threads may use it.
class SpareMemory {
 public:
  /// Local. Keeps at most `max_bytes`.
  explicit SpareMemory(std::int64_t max_bytes) : max_bytes_(max_bytes) {}
  /// Local. Returns `size` to about 2 * `size` bytes with any content.
  [[nodiscard]] std::unique_ptr<std::vector<std::byte>> take(std::size_t size);
  /// Local. Takes back memory that `take` returned.
  void give(std::unique_ptr<std::vector<std::byte>> memory) noexcept;

 private:
  std::mutex mutex_ = {};
  std::multimap<std::size_t, std::unique_ptr<std::vector<std::byte>>> all_ = {};  // by size
  std::int64_t max_bytes_;
  std::int64_t bytes_ = 0;
};

/// Distributes chunks over ranks in contiguous portions, whichever ranks hold their elements. The bytes of a chunk
/// depend only on its elements.
class ChunkEncoder {
 public:
  /// Collective. Prepares the exchange. `resources` outlive it. `path` is an existing folder or file, for messages.
  /// Errors: as the constructor of Mover.
  ChunkEncoder(const Resources& resources, std::string path, std::vector<ChunkedVariable> variables);
  ~ChunkEncoder();

  /// Collective. Compresses `chunks`, in this order, with the elements in `parts` of all ranks; elements in other
  /// chunks are ignored. `step` is the step of all parts of variables with steps. `opening` is agreed on first.
  /// `chunks` is the same on all ranks; if it is empty, the ranks only agree on `opening`, and the result is empty.
  /// `sums` become the sums over all ranks, if there are chunks and no error. Errors: the error of `opening`; usage for
  /// parts as in DatasetWriter::write; io.
  [[nodiscard]] EncodedChunks encode(const DatasetDescription& description, std::span<const ChunkOfVariable> chunks,
                                     std::span<const ArrayPart> parts, std::int64_t step, Opening opening,
                                     std::span<std::int64_t> sums = {});
  /// Local. Returns true if `encode` threw the error because an element is in two parts.
  [[nodiscard]] static bool is_overlap(const Error& error);

 private:
  class Sink;
  struct Collected;

  using Compressors = std::map<std::pair<Compression, int>, Compressor>;  // of a thread, by level
  // Local. Replaces the elements of a chunk with the stored chunk.
  void apply_filters(EncodedChunks::Own& own, Compressors& compressors) const;
  // Local. Replaces the byte in an error about overlapping parts with the element.
  void name_element(std::optional<Error>& error, const DatasetDescription& description, std::int64_t step) const;
  // Local. Returns the element at a byte of the file that ranks exchange.
  [[nodiscard]] Where place_of(std::int64_t byte, const DatasetDescription& description, std::int64_t step) const;
  // Local. Memory of at least `size` bytes with any content.
  [[nodiscard]] EncodedChunks::Memory memory_of(std::size_t size) const;

  const Resources& resources_;
  std::string path_;
  std::vector<ChunkedVariable> variables_;
  std::int64_t slot_bytes_ = 1;  // size of the largest chunk
  std::shared_ptr<SpareMemory> spare_;
  std::unique_ptr<Collected> collected_;
  std::vector<Compressors> compressors_;  // one per thread
  std::optional<Mover> mover_;
};

}  // namespace sill
