// Parts of extents as derived datatypes of MPI.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "sill/plan/part.hpp"

namespace sill {

/// Local. Parts as extents, one after another; a part takes at most two a step, and one.
[[nodiscard]] std::vector<Extent> extents_of(std::span<const Part> parts);

/// A datatype, committed; freed with this object.
class MpiType {
 public:
  MpiType() = default;
  explicit MpiType(MPI_Datatype type) : type_(type) {}
  MpiType(MpiType&& other) noexcept;
  MpiType& operator=(MpiType&& other) noexcept;
  MpiType(const MpiType&) = delete;
  MpiType& operator=(const MpiType&) = delete;
  ~MpiType();

  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Local. The places of extents in a file, counted from byte `base`: strides become nested vectors, never a list of
/// runs. Preconditions: the bounding_ranges ascend and do not overlap; no step has more than 2^30 repetitions, no run
/// is longer. Errors: io if MPI fails.
[[nodiscard]] MpiType file_type(std::span<const Extent> extents, std::int64_t base);

/// Local. The same for a list of runs, which ascend and do not overlap: for what interleaves.
[[nodiscard]] MpiType file_type(std::span<const ByteRange> runs, std::int64_t base);

}  // namespace sill
