// The numbers of ranks that a test under MPI is for.
#pragma once

#include <climits>
#include <string>
#include <utility>
#include <vector>

namespace sill::test {

/// Test `name` runs where the ranks are `min` to `max`; sill_mpi_main leaves it out elsewhere. A test that declares
/// none runs on any number.
struct TestRanks {
  std::string name;
  int min;
  int max;
};

/// Local. What the tests of this program declare.
inline std::vector<TestRanks>& declared_test_ranks() {
  static std::vector<TestRanks> declared;
  return declared;
}

/// Local. For SILL_TEST_RANKS.
inline bool declare_test_ranks(TestRanks ranks) {
  declared_test_ranks().push_back(std::move(ranks));
  return true;
}

}  // namespace sill::test

/// Declares that the test that follows it, of this suite and name, needs `min` to `max` ranks.
#define SILL_TEST_RANKS(suite, name, min, max) \
  const bool suite##_##name##_ranks = ::sill::test::declare_test_ranks({#suite "." #name, min, max})
/// The same with no most.
#define SILL_TEST_MIN_RANKS(suite, name, min) SILL_TEST_RANKS(suite, name, min, INT_MAX)
