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
  /// Collective. Takes a quarter of the least `memory_bytes` of any rank, but at least room for one value. Errors: io
  /// if a rank does not have that much.
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
