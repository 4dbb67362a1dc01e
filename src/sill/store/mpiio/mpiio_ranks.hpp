// The ranks that have opened an MPI-IO file together.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

namespace sill {

/// Some ranks of a communicator, with an MPI communicator of their own; MPI_COMM_SELF for a single rank. Errors of all
/// calls: io if the message layer fails.
class MpiRanks {
 public:
  /// Collective over `ranks` of `parent`. Creates the communicator. Precondition: `ranks` ascend.
  MpiRanks(MPI_Comm parent, std::span<const int> ranks);
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks();

  [[nodiscard]] MPI_Comm get() const { return comm_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] int rank() const { return rank_; }

  /// Collective. Returns true if `mine` is true on all of the ranks.
  [[nodiscard]] bool all(bool mine) const;
  /// Collective. Replaces every element with its sum over the ranks. Precondition: `values` has the same size on all
  /// ranks.
  void sum(std::span<std::int64_t> values) const;
  /// Collective. Fills `all` with every rank's `mine` in rank order. Precondition: all.size() == size() * mine.size().
  void all_gather(std::span<const std::int64_t> mine, std::span<std::int64_t> all) const;

 private:
  MPI_Comm comm_ = MPI_COMM_SELF;
  int size_ = 1;
  int rank_ = 0;
};

}  // namespace sill
