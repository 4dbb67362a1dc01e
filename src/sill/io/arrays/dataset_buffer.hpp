// Memory for pieces of a dataset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/io/arrays/dataset_pieces.hpp"

namespace sill {

class DatasetBuffer {
 public:
  /// Collective. Allocates a quarter of the smallest `memory_bytes` of any rank, but at least enough for one value.
  /// Errors: io if a rank does not have that much memory.
  DatasetBuffer(Communicator& comm, std::int64_t memory_bytes);

  [[nodiscard]] PieceLimits limits() const { return limits_; }

  /// Local. Returns the parts of a piece of `limits()`, stored consecutively in the buffer, in the types of the
  /// description. They reuse the memory of earlier parts.
  [[nodiscard]] std::vector<ArrayPart> parts_of(const DatasetDescription& description,
                                                std::span<const PieceOfVariable> piece);

 private:
  PieceLimits limits_;
  std::unique_ptr<std::byte[]> memory_;  // not initialized
};

}  // namespace sill
