// The ranks that have a file of MPI-IO open together.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

namespace sill {

/// Some ranks of a communicator, as a communicator of MPI of their own; of this rank alone, MPI_COMM_SELF.
/// Errors of all calls: io when the message layer fails.
class MpiRanks {
 public:
  /// Collective over `ranks` of `parent`, which ascend.
  MpiRanks(MPI_Comm parent, std::span<const int> ranks);
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks();

  [[nodiscard]] MPI_Comm get() const { return comm_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] int rank() const { return rank_; }

  /// Collective. Whether `mine` is true on all of them.
  [[nodiscard]] bool all(bool mine) const;
  /// Collective. Every element becomes the sum over ranks. Precondition: equal sizes.
  void sum(std::span<std::int64_t> values) const;
  /// Collective. `all` receives every rank's `mine` in rank order. Precondition: all.size() == size() * mine.size().
  void all_gather(std::span<const std::int64_t> mine, std::span<std::int64_t> all) const;

 private:
  MPI_Comm comm_ = MPI_COMM_SELF;
  int size_ = 1;
  int rank_ = 0;
};

}  // namespace sill
