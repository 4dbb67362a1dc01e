// Distinct codes over ranks, in as many passes as a small memory takes, against a count of all in one place.
#include "sill/survey/select/distinct_codes.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "support/world.hpp"

namespace sill {
namespace {

constexpr std::uint64_t unit = std::uint64_t{1} << 32;

// The codes of a rank, the same whoever asks.
std::vector<std::uint64_t> codes_of(int kind, int rank) {
  std::mt19937_64 random(static_cast<std::uint64_t>(10 * kind + rank));
  std::vector<std::uint64_t> codes;
  for (std::uint64_t i = 0; i < (kind == 0 && rank == 0 ? 0U : 3000U); ++i) {
    switch (kind) {
      case 1: codes.push_back(unit * (i + 1000 * static_cast<std::uint64_t>(rank))); break;  // in order, overlapping
      case 2: codes.push_back(unit * (random() % 100)); break;
      case 3: codes.push_back(unit * (2 * i)); break;               // no neighbours
      case 4: codes.push_back(unit * (0xFFFFFFFF - i % 7)); break;  // the largest there are
      default: codes.push_back(unit * (random() >> 32U)); break;    // hardly two the same
    }
  }
  return codes;
}

TEST(DistinctCodesMpi, CountsInAnyMemory) {
  Communicator& comm = test::world();
  for (int kind = 0; kind < 6; ++kind) {
    std::set<std::uint64_t> wanted;
    for (int rank = 0; rank < comm.size(); ++rank)
      for (const std::uint64_t code : codes_of(kind, rank)) wanted.insert(code);
    for (const std::size_t runs : {std::size_t{1'000'000}, std::size_t{700}}) {
      const std::vector<std::uint64_t> codes = codes_of(kind, comm.rank());
      DistinctCodes distinct(unit, runs);
      int passes = 0;
      do {
        ++passes;
        for (std::size_t first = 0; first < codes.size(); first += 256) {
          std::vector<std::uint64_t> some(
              codes.begin() + static_cast<std::ptrdiff_t>(first),
              codes.begin() + static_cast<std::ptrdiff_t>(std::min(codes.size(), first + 256)));
          distinct.add(some);
        }
      } while (distinct.end_pass(comm));
      EXPECT_EQ(distinct.count(), std::ssize(wanted)) << kind;
      const bool is_scattered = kind == 0 || kind == 3 || kind == 5;
      if (comm.size() > 1 || kind != 0) {
        EXPECT_EQ(passes > 1, is_scattered && runs == 700) << kind;
      }
    }
  }
}

}  // namespace
}  // namespace sill
