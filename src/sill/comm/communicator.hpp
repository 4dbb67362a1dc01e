// What a group of ranks can do together. Sizes are 64-bit; pieces above 1 GiB are cut where MPI needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace sill {

enum class Reduction { sum, min, max };

/// Bytes for another rank of the communicator.
struct Outgoing {
  int peer = 0;
  std::span<const std::byte> bytes;
};

/// Room for bytes from another rank; its size is the size of what will come.
struct Incoming {
  int peer = 0;
  std::span<std::byte> bytes;
};

/// A group of ranks. All calls but the queries are Collective; only the thread that made it may call it.
/// Errors: io when the message layer fails (then no further collective call on it will succeed).
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  /// Local. This rank, from 0, and the number of ranks.
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Local. How many ranks of this communicator share this rank's node (itself included).
  [[nodiscard]] virtual int ranks_on_node() const = 0;

  /// Collective. Returns when every rank has called it.
  virtual void barrier() = 0;
  /// Collective. `bytes` of `root` replaces everyone's. Precondition: equal sizes.
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  /// Collective. `all` receives every rank's `mine` in rank order. Precondition: all.size() == size() * mine.size(),
  /// the same on every rank.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  /// Collective. Every element becomes the reduction over ranks. Precondition: equal sizes.
  virtual void all_reduce(std::span<std::int64_t> values, Reduction reduction) = 0;
  /// Collective in pairs: every Outgoing meets the Incoming of its peer, of equal size and in equal order. A rank with
  /// nothing to send or receive need not call it.
  virtual void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) = 0;
};

/// Local. A communicator of this process alone; needs no MPI.
[[nodiscard]] std::unique_ptr<Communicator> make_alone();

// The same for values instead of bytes.

/// Collective. The reduction of one value.
[[nodiscard]] inline std::int64_t all_reduce(Communicator& comm, std::int64_t value, Reduction reduction) {
  comm.all_reduce({&value, 1}, reduction);
  return value;
}

/// Collective. Every rank's value, in rank order.
template <class T>
[[nodiscard]] std::vector<T> all_gather(Communicator& comm, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<std::size_t>(comm.size()));
  comm.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

/// Collective. Every rank's values, concatenated in rank order; sizes may differ.
template <class T>
[[nodiscard]] std::vector<T> all_gather_all(Communicator& comm, std::span<const T> mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::vector<std::int64_t> counts = all_gather(comm, static_cast<std::int64_t>(mine.size()));
  std::vector<std::int64_t> first(counts.size() + 1, 0);
  for (std::size_t r = 0; r < counts.size(); ++r) first[r + 1] = first[r] + counts[r];
  std::vector<T> all(static_cast<std::size_t>(first.back()));
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (!mine.empty()) sends.push_back({static_cast<int>(r), std::as_bytes(mine)});
    if (counts[r] > 0) {
      receives.push_back(
          {static_cast<int>(r), std::as_writable_bytes(std::span(all).subspan(static_cast<std::size_t>(first[r]),
                                                                              static_cast<std::size_t>(counts[r])))});
    }
  }
  comm.exchange(sends, receives);
  return all;
}

/// Collective. Rank r receives, in rank order, what every rank put in its `parts[r]`. Precondition: parts.size() ==
/// comm.size().
template <class T>
[[nodiscard]] std::vector<T> all_to_all(Communicator& comm, std::span<const std::span<const T>> parts) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::int64_t> out_counts(ranks);
  std::vector<std::int64_t> in_counts(ranks);
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
  for (std::size_t r = 0; r < ranks; ++r) {
    out_counts[r] = static_cast<std::int64_t>(parts[r].size());
    sends.push_back({static_cast<int>(r), std::as_bytes(std::span(&out_counts[r], 1))});
    receives.push_back({static_cast<int>(r), std::as_writable_bytes(std::span(&in_counts[r], 1))});
  }
  comm.exchange(sends, receives);
  std::int64_t total = 0;
  for (const std::int64_t count : in_counts) total += count;
  std::vector<T> all(static_cast<std::size_t>(total));
  sends.clear();
  receives.clear();
  std::size_t first = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (out_counts[r] > 0) sends.push_back({static_cast<int>(r), std::as_bytes(parts[r])});
    const auto count = static_cast<std::size_t>(in_counts[r]);
    if (count > 0) {
      receives.push_back({static_cast<int>(r), std::as_writable_bytes(std::span(all).subspan(first, count))});
    }
    first += count;
  }
  comm.exchange(sends, receives);
  return all;
}

}  // namespace sill
