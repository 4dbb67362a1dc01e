// Sorting over ranks against sorting everything in one place: run alone and under MPI.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "sill/comm/exchange.hpp"
#include "sill/comm/key_sort.hpp"
#include "support/world.hpp"

namespace sill::test {

/// Local. Records of all ranks, numbered through; `kind`: 0 any keys, 1 few keys, 2 one key, 3 ascending, 4 descending,
/// 5 keys that differ in one word only.
template <std::size_t Words>
[[nodiscard]] std::vector<KeyRecord<Words>> random_records(std::uint64_t seed, std::size_t count, int kind) {
  std::mt19937_64 random(seed);
  std::vector<KeyRecord<Words>> records(count);
  const std::size_t word = random() % Words;
  for (std::size_t i = 0; i < count; ++i) {
    records[i].item = static_cast<std::int64_t>(i);
    for (std::size_t w = 0; w < Words; ++w) {
      std::uint64_t& key = records[i].key[w];
      switch (kind) {
        case 0: key = random(); break;
        case 1: key = random() % 3 << 62U; break;
        case 2: key = 0x8000000000000001U; break;
        case 3: key = i * 1000003U; break;
        case 4: key = ~(i * 1000003U); break;
        default: key = w == word ? random() >> (random() % 64) : 42; break;
      }
    }
  }
  return records;
}

template <std::size_t Words>
void check_sort_distributed(Communicator& comm) {
  EXPECT_TRUE(rc::check([&] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto count = *rc::gen::element<std::size_t>(0, 1, 2, 5, 100, 3000);
    const int kind = *rc::gen::inRange(0, 6);
    const auto ranks = static_cast<std::size_t>(comm.size());
    std::vector<std::size_t> ends{0};  // of the records of each rank; some ranks have none
    for (std::size_t r = 1; r < ranks; ++r) ends.push_back(*rc::gen::inRange<std::size_t>(0, count + 1));
    std::sort(ends.begin(), ends.end());
    ends.push_back(count);

    std::vector<KeyRecord<Words>> all = random_records<Words>(seed, count, kind);
    const auto rank = static_cast<std::size_t>(comm.rank());
    std::vector<KeyRecord<Words>> mine(all.begin() + static_cast<std::ptrdiff_t>(ends[rank]),
                                       all.begin() + static_cast<std::ptrdiff_t>(ends[rank + 1]));
    sort_distributed(comm, mine);
    const std::vector<KeyRecord<Words>> sorted = all_gather_all(comm, std::span<const KeyRecord<Words>>(mine));
    // By key alone: that the sort is stable is what is to be shown.
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    RC_ASSERT(everywhere(comm, [&] { return sorted == all; }));
  }));
}

/// Equal keys must not gather on one rank.
inline void check_balance(Communicator& comm) {
  constexpr std::size_t of_rank = 20000;
  const auto ranks = static_cast<std::size_t>(comm.size());
  for (int kind = 0; kind < 5; ++kind) {
    const std::vector<KeyRecord<1>> all = random_records<1>(5, of_rank * ranks, kind);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(of_rank) * comm.rank();
    std::vector<KeyRecord<1>> mine(first, first + of_rank);
    sort_distributed(comm, mine);
    EXPECT_NEAR(static_cast<double>(mine.size()), of_rank, 0.05 * of_rank) << "kind " << kind;
  }
}

inline void check_sort(Communicator& comm) {
  check_sort_distributed<1>(comm);
  check_sort_distributed<2>(comm);
  check_sort_distributed<3>(comm);
  check_sort_distributed<4>(comm);
  check_balance(comm);
}

}  // namespace sill::test
