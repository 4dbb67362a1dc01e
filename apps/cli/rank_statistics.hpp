// Statistics of repeated measurements that assume nothing about how they are distributed.
#pragma once

#include <span>
#include <vector>

namespace sill::cli {

/// A median and where the true one lies.
struct Median {
  double value = 0.0;
  double least = 0.0;
  double most = 0.0;
};

/// Local. The median, and the order statistics that cover the true one with a probability of at least 95 %; below six
/// values, which no two cover so, the smallest and the largest. Precondition: there is a value.
[[nodiscard]] Median median_of(std::vector<double> values);

/// Two groups that may differ.
struct GroupPair {
  std::size_t first = 0;
  std::size_t second = 0;
  double p = 1.0;  ///< of ranks as far apart by chance, made larger after Holm for the number of pairs
};

/// Local. The Kruskal-Wallis test that all groups are one: the probability of ranks as far apart by chance.
/// Precondition: two groups at least, each with a value.
[[nodiscard]] double kruskal_wallis_p(std::span<const std::vector<double>> groups);

/// Local. Dunn's test of every pair of groups, (0, 1), (0, 2), … (1, 2), …; ties share ranks. Source: O. J. Dunn,
/// Multiple comparisons using rank sums, Technometrics 6 (1964). Precondition: as above.
[[nodiscard]] std::vector<GroupPair> dunn_test(std::span<const std::vector<double>> groups);

}  // namespace sill::cli
