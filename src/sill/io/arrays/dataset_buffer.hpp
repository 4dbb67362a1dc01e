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
  /// Collective. Takes a quarter of `memory_bytes`, of the rank that has least, but room for a value at least. Errors:
  /// io if a rank has not that much.
  DatasetBuffer(Communicator& comm, std::int64_t memory_bytes);

  [[nodiscard]] PieceLimits limits() const { return limits_; }

  /// Local. Returns the parts of a piece of `limits()`, one behind the other in the buffer, in the types of the
  /// description. The memory of earlier parts is used again.
  [[nodiscard]] std::vector<ArrayPart> parts_of(const DatasetDescription& description,
                                                std::span<const PieceOfVariable> piece);

 private:
  PieceLimits limits_;
  std::unique_ptr<std::byte[]> memory_;  // not filled with zeros
};

}  // namespace sill
