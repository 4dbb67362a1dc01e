// Communication within a group of ranks. Sizes are 64-bit; messages above 1 GiB are split where MPI requires it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace sill {

enum class Reduction { sum, min, max, bit_xor };

/// Bytes for another rank of the communicator.
struct Outgoing {
  int peer = 0;
  std::span<const std::byte> bytes;
};

/// Buffer for bytes from another rank; its size is the size of the message.
struct Incoming {
  int peer = 0;
  std::span<std::byte> bytes;
};

/// A group of ranks. All calls except the queries are Collective. Only the thread that created the communicator may use
/// it. Errors: io if the message layer fails (then every further collective call on this communicator fails too).
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  /// Local. Return the number of this rank, from 0, and the number of ranks.
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Local. Return the number of ranks of this communicator on the node of this rank, and the number of those ranks
  /// that may run on exactly the same set of cores as this rank. Both numbers include this rank.
  [[nodiscard]] virtual int ranks_on_node() const = 0;
  [[nodiscard]] virtual int ranks_on_cores() const = 0;
  /// Local. Returns the node of every rank; nodes are numbered from 0 in the order of their lowest ranks.
  [[nodiscard]] virtual std::span<const int> node_of_ranks() const = 0;

  /// Collective. Returns after every rank has called `barrier`.
  virtual void barrier() = 0;
  /// Collective. Replaces the `bytes` of all ranks with the `bytes` of rank `root`. Precondition: `bytes` has the same
  /// size on all ranks.
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  /// Collective. Fills `all` with every rank's `mine` in rank order. Precondition: all.size() == size() * mine.size(),
  /// the same on every rank.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  /// Collective. Fills `all` with every rank's `mine`, of `sizes[rank]` bytes, in rank order. Preconditions: the same
  /// `sizes` on every rank; all.size() is their sum.
  virtual void all_gather_all(std::span<const std::byte> mine, std::span<std::byte> all,
                              std::span<const std::int64_t> sizes) = 0;
  /// Collective. Sets element i of `in` on rank r to element r of `out` on rank i. Precondition: `out` and `in` have
  /// size() elements.
  virtual void all_to_all(std::span<const std::int64_t> out, std::span<std::int64_t> in) = 0;
  /// Collective. Replaces every element with its reduction over the ranks. Precondition: `values` has the same size on
  /// all ranks.
  virtual void all_reduce(std::span<std::int64_t> values, Reduction reduction) = 0;
  /// Collective in pairs: matches every Outgoing with the Incoming of its peer, of equal size and in equal order. A
  /// rank without messages need not call `exchange`. A send is complete when its peer has begun to receive, so no rank
  /// can flood a slower rank.
  virtual void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) = 0;
};

/// Local. Returns a communicator that contains only this process. It does not need MPI.
[[nodiscard]] std::unique_ptr<Communicator> make_alone();

// Calls of a communicator for values instead of bytes.

/// Collective. Returns the reduction of `value` over the ranks.
[[nodiscard]] inline std::int64_t all_reduce(Communicator& comm, std::int64_t value, Reduction reduction) {
  comm.all_reduce({&value, 1}, reduction);
  return value;
}

/// Collective. Returns the values `mine` of all ranks, in rank order.
template <class T>
[[nodiscard]] std::vector<T> all_gather(Communicator& comm, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<std::size_t>(comm.size()));
  comm.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

/// The sum of a value over the ranks before this one, and over all ranks.
struct ExclusiveSum {
  std::int64_t before = 0;
  std::int64_t all = 0;
};

/// Local. Returns the sums for rank `rank`. `of_ranks`: the values of all ranks, in rank order.
[[nodiscard]] inline ExclusiveSum exclusive_sum(std::span<const std::int64_t> of_ranks, int rank) {
  ExclusiveSum sum;
  for (std::size_t r = 0; r < of_ranks.size(); ++r) {
    if (r == static_cast<std::size_t>(rank)) sum.before = sum.all;
    sum.all += of_ranks[r];
  }
  return sum;
}

/// Collective. Returns the sums of every rank's `value`, at the cost of one `all_gather`.
[[nodiscard]] inline ExclusiveSum exclusive_sum(Communicator& comm, std::int64_t value) {
  return exclusive_sum(all_gather(comm, value), comm.rank());
}

}  // namespace sill
