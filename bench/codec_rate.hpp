// What the library of a codec takes to compress chunks, without anything else.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sill/formats/array/chunk_codec.hpp"
#include "sill/io/arrays/array_part.hpp"

namespace sill::bench {

/// The chunks of the elements of a rank, ready in memory.
class CodecRate {
 public:
  /// Local. Copies the chunks out of a part whose elements lie one after another. `codec`: deflate:LEVEL or zstd:LEVEL.
  /// Errors: usage for another codec.
  CodecRate(const std::string& codec, const ArrayPart& part, const Index& chunk, int threads);

  /// Local. Compresses all chunks into memory, in threads. Errors: io if the library does.
  void compress() const;

 private:
  ChunkCodec codec_;
  int threads_;
  std::vector<std::vector<std::byte>> chunks_;
};

}  // namespace sill::bench
