// Parts of extents as derived datatypes of MPI.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "sill/plan/part.hpp"

namespace sill {

/// Local. Returns the extents of `parts`, part after part. A part becomes at most two extents per step, plus one.
[[nodiscard]] std::vector<Extent> extents_of(std::span<const Part> parts);

/// A committed datatype; the destructor frees it.
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

/// Local. Returns the datatype of the file positions of extents, relative to byte `base`. Strides become nested
/// vectors, never a list of runs. Preconditions: the bounding ranges ascend and do not overlap; no step has more than
/// 2^30 repetitions, and no run is longer than 2^30 bytes. Errors: io if MPI fails.
[[nodiscard]] MpiType file_type(std::span<const Extent> extents, std::int64_t base);

/// Local. Returns the datatype of a list of runs, for extents that interleave. Preconditions: the runs ascend and do
/// not overlap. Errors: io if MPI fails.
[[nodiscard]] MpiType file_type(std::span<const ByteRange> runs, std::int64_t base);

}  // namespace sill
