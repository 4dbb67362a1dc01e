// What every communicator must do: run alone and under MPI.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/comm/exchange.hpp"

namespace sill::test {

inline void check_ranks(Communicator& comm) {
  EXPECT_GE(comm.rank(), 0);
  EXPECT_LT(comm.rank(), comm.size());
  EXPECT_GE(comm.ranks_on_node(), 1);
  EXPECT_LE(comm.ranks_on_node(), comm.size());
  EXPECT_GE(comm.ranks_on_cores(), 1);
  EXPECT_LE(comm.ranks_on_cores(), comm.ranks_on_node());
  comm.barrier();
}

inline void check_broadcast(Communicator& comm) {
  for (int root = 0; root < comm.size(); ++root) {
    for (const std::size_t size : {0U, 1U, 100000U}) {
      std::vector<std::byte> bytes(size, static_cast<std::byte>(comm.rank() + 1));
      comm.broadcast(bytes, root);
      EXPECT_EQ(bytes, std::vector<std::byte>(size, static_cast<std::byte>(root + 1)));
    }
  }
}

inline void check_all_reduce(Communicator& comm) {
  const std::int64_t ranks = comm.size();
  const std::int64_t rank = comm.rank();
  EXPECT_EQ(all_reduce(comm, rank + 1, Reduction::sum), ranks * (ranks + 1) / 2);
  EXPECT_EQ(all_reduce(comm, rank - 5, Reduction::min), -5);
  EXPECT_EQ(all_reduce(comm, (std::int64_t{1} << 60U) + rank, Reduction::max), (std::int64_t{1} << 60U) + ranks - 1);
  std::vector<std::int64_t> several{rank, -rank, 7};
  comm.all_reduce(several, Reduction::max);
  EXPECT_EQ(several, (std::vector<std::int64_t>{ranks - 1, 0, 7}));
  comm.all_reduce({}, Reduction::sum);
}

inline void check_all_gather(Communicator& comm) {
  struct Value {
    std::int32_t rank;
    double half;
  };
  const std::vector<Value> values = all_gather(comm, Value{comm.rank(), comm.rank() / 2.0});
  ASSERT_EQ(values.size(), static_cast<std::size_t>(comm.size()));
  for (int r = 0; r < comm.size(); ++r) {
    EXPECT_EQ(values[static_cast<std::size_t>(r)].rank, r);
    EXPECT_EQ(values[static_cast<std::size_t>(r)].half, r / 2.0);
  }
  comm.all_gather({}, {});
}

inline void check_exclusive_sum(Communicator& comm) {
  const std::int64_t ranks = comm.size();
  const std::int64_t rank = comm.rank();
  const ExclusiveSum sum = exclusive_sum(comm, rank + 1);
  EXPECT_EQ(sum.before, rank * (rank + 1) / 2);
  EXPECT_EQ(sum.all, ranks * (ranks + 1) / 2);
  const std::vector<std::int64_t> of_ranks{3, 0, -1, 5};
  EXPECT_EQ(exclusive_sum(of_ranks, 0).before, 0);
  EXPECT_EQ(exclusive_sum(of_ranks, 3).before, 2);
  EXPECT_EQ(exclusive_sum(of_ranks, 3).all, 7);
}

/// What rank `from` sends rank `to`; some send nothing.
inline std::vector<std::int64_t> words(int from, int to, int round) {
  std::vector<std::int64_t> result(static_cast<std::size_t>((from * 7 + to * 3 + round) % 5) *
                                   (round == 3 ? 50000 : 1));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = from * 1000 + to * 100 + static_cast<std::int64_t>(i);
  return result;
}

inline void check_all_gather_all(Communicator& comm) {
  for (int round = 0; round < 8; ++round) {
    const std::vector<std::int64_t> mine = words(comm.rank(), 0, round);
    std::vector<std::int64_t> expected;
    for (int r = 0; r < comm.size(); ++r) {
      const std::vector<std::int64_t> theirs = words(r, 0, round);
      expected.insert(expected.end(), theirs.begin(), theirs.end());
    }
    EXPECT_EQ(all_gather_all(comm, std::span<const std::int64_t>(mine)), expected);
  }
  EXPECT_TRUE(all_gather_all(comm, std::span<const char>()).empty());
}

inline void check_broadcast_all(Communicator& comm) {
  for (int root = 0; root < comm.size(); ++root) {
    std::string text = comm.rank() == root ? "of " + std::to_string(root) : "something much longer than that";
    broadcast_all(comm, text, root);
    EXPECT_EQ(text, "of " + std::to_string(root));
    std::vector<std::int64_t> none(comm.rank() == root ? 0 : 3);
    broadcast_all(comm, none, root);
    EXPECT_TRUE(none.empty());
  }
}

inline void check_all_to_all(Communicator& comm) {
  for (int round = 0; round < 8; ++round) {
    std::vector<std::vector<std::int64_t>> out;
    std::vector<std::int64_t> expected;
    for (int r = 0; r < comm.size(); ++r) {
      out.push_back(words(comm.rank(), r, round));
      const std::vector<std::int64_t> theirs = words(r, comm.rank(), round);
      expected.insert(expected.end(), theirs.begin(), theirs.end());
    }
    const std::vector<std::span<const std::int64_t>> parts(out.begin(), out.end());
    EXPECT_EQ(all_to_all(comm, std::span<const std::span<const std::int64_t>>(parts)), expected);
  }
}

/// Around a ring, two messages to the next rank, which must arrive in order.
inline void check_exchange(Communicator& comm) {
  const int next = (comm.rank() + 1) % comm.size();
  const int before = (comm.rank() + comm.size() - 1) % comm.size();
  for (const std::size_t size : {0U, 1U, 300000U}) {
    const std::vector<std::byte> first(size, static_cast<std::byte>(comm.rank() + 1));
    const std::vector<std::byte> second(size + 1, static_cast<std::byte>(comm.rank() + 101));
    std::vector<std::byte> got_first(size);
    std::vector<std::byte> got_second(size + 1);
    const std::vector<Outgoing> sends{{next, first}, {next, second}};
    const std::vector<Incoming> receives{{before, got_first}, {before, got_second}};
    comm.exchange(sends, receives);
    EXPECT_EQ(got_first, std::vector<std::byte>(size, static_cast<std::byte>(before + 1)));
    EXPECT_EQ(got_second, std::vector<std::byte>(size + 1, static_cast<std::byte>(before + 101)));
  }
  comm.exchange({}, {});
}

inline void check_everything(Communicator& comm) {
  check_ranks(comm);
  check_broadcast(comm);
  check_all_reduce(comm);
  check_all_gather(comm);
  check_exclusive_sum(comm);
  check_all_gather_all(comm);
  check_broadcast_all(comm);
  check_all_to_all(comm);
  check_exchange(comm);
}

}  // namespace sill::test
