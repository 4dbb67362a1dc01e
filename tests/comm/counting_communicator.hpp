// A communicator that counts what a rank says to others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"

namespace sill::test {

/// Passes everything on and counts what this rank sends.
class CountingCommunicator final : public Communicator {
 public:
  /// `inner` outlives it.
  explicit CountingCommunicator(Communicator& inner) : inner_(inner) {}

  [[nodiscard]] int rank() const override { return inner_.rank(); }
  [[nodiscard]] int size() const override { return inner_.size(); }
  [[nodiscard]] int ranks_on_node() const override { return inner_.ranks_on_node(); }
  [[nodiscard]] int ranks_on_cores() const override { return inner_.ranks_on_cores(); }
  [[nodiscard]] std::span<const int> node_of_ranks() const override { return inner_.node_of_ranks(); }

  void barrier() override {
    ++barriers;
    inner_.barrier();
  }
  void broadcast(std::span<std::byte> bytes, int root) override {
    ++broadcasts;
    inner_.broadcast(bytes, root);
  }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    ++gathers;
    gathered_bytes += static_cast<std::int64_t>(mine.size());
    inner_.all_gather(mine, all);
  }
  void all_gather_all(std::span<const std::byte> mine, std::span<std::byte> all,
                      std::span<const std::int64_t> sizes) override {
    ++gathers;
    gathered_bytes += static_cast<std::int64_t>(mine.size());
    inner_.all_gather_all(mine, all, sizes);
  }
  void all_to_all(std::span<const std::int64_t> out, std::span<std::int64_t> in) override {
    ++all_to_alls;
    inner_.all_to_all(out, in);
  }
  void all_reduce(std::span<std::int64_t> values, Reduction reduction) override {
    ++reductions;
    reduced_bytes += static_cast<std::int64_t>(values.size_bytes());
    inner_.all_reduce(values, reduction);
  }
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
    std::vector<bool> sent(static_cast<std::size_t>(size()));
    for (const Outgoing& send : sends) {
      one_a_peer = one_a_peer && !sent[static_cast<std::size_t>(send.peer)];
      sent[static_cast<std::size_t>(send.peer)] = true;
      sent_bytes += static_cast<std::int64_t>(send.bytes.size());
    }
    std::int64_t received = 0;
    for (const Incoming& receive : receives) received += static_cast<std::int64_t>(receive.bytes.size());
    max_received_bytes = std::max(max_received_bytes, received);
    messages += static_cast<std::int64_t>(sends.size());
    inner_.exchange(sends, receives);
  }

  /// Local. Those in which all ranks take part.
  [[nodiscard]] std::int64_t collectives() const { return barriers + broadcasts + gathers + all_to_alls + reductions; }

  std::int64_t messages = 0;  ///< to one rank each
  std::int64_t sent_bytes = 0;
  std::int64_t max_received_bytes = 0;  ///< by one exchange
  bool one_a_peer = true;               ///< no exchange had two messages for the same rank
  std::int64_t barriers = 0;
  std::int64_t broadcasts = 0;
  std::int64_t gathers = 0;  ///< to all ranks
  std::int64_t gathered_bytes = 0;
  std::int64_t all_to_alls = 0;
  std::int64_t reductions = 0;
  std::int64_t reduced_bytes = 0;

 private:
  Communicator& inner_;
};

}  // namespace sill::test
