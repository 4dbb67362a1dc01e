#include "cli/rank_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

namespace sill::cli {
namespace {

// The values of all groups in one order.
struct Ranked {
  std::vector<double> mean_ranks;  // of each group
  double values = 0.0;             // how many there are
  double ties = 0.0;               // sum of t^3 - t over runs of t equal values
};

Ranked ranked(std::span<const std::vector<double>> groups) {
  std::vector<std::pair<double, std::size_t>> all;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const double value : groups[g]) all.emplace_back(value, g);
  }
  std::ranges::sort(all);
  Ranked result{.mean_ranks = std::vector<double>(groups.size()), .values = static_cast<double>(all.size())};
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].first == all[begin].first) ++end;
    const double shared = static_cast<double>(begin + 1 + end) / 2;
    for (std::size_t i = begin; i < end; ++i) result.mean_ranks[all[i].second] += shared;
    const auto equal = static_cast<double>(end - begin);
    result.ties += equal * equal * equal - equal;
    begin = end;
  }
  for (std::size_t g = 0; g < groups.size(); ++g) result.mean_ranks[g] /= static_cast<double>(groups[g].size());
  return result;
}

// The upper tail of the chi-squared distribution: Q(k / 2, x / 2), by the recurrence of the incomplete gamma function.
double chi_squared_tail(double x, std::size_t degrees) {
  const double half = x / 2;
  double tail = degrees % 2 == 0 ? std::exp(-half) : std::erfc(std::sqrt(half));
  double a = degrees % 2 == 0 ? 1.0 : 0.5;
  for (; a + 0.5 < static_cast<double>(degrees) / 2; a += 1.0) {
    if (half > 0) tail += std::exp(a * std::log(half) - half - std::lgamma(a + 1));
  }
  return std::min(1.0, tail);
}

}  // namespace

Median median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  Median result{.value = (values[(n - 1) / 2] + values[n / 2]) / 2, .least = values.front(), .most = values.back()};
  // The true median lies outside values k + 1 and n - k with twice the chance of at most k heads among n.
  double chance = std::pow(0.5, static_cast<double>(n));
  double sum = chance;
  for (std::size_t k = 0; 2 * k < n && 2 * sum <= 0.05; ++k) {
    result.least = values[k];
    result.most = values[n - 1 - k];
    chance *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    sum += chance;
  }
  return result;
}

double kruskal_wallis_p(std::span<const std::vector<double>> groups) {
  const Ranked order = ranked(groups);
  const double n = order.values;
  double sum = 0.0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double off = order.mean_ranks[g] - (n + 1) / 2;
    sum += static_cast<double>(groups[g].size()) * off * off;
  }
  const double untied = 1 - order.ties / (n * n * n - n);
  if (untied <= 0) return 1.0;
  return chi_squared_tail(12 / (n * (n + 1)) * sum / untied, groups.size() - 1);
}

std::vector<GroupPair> dunn_test(std::span<const std::vector<double>> groups) {
  const Ranked order = ranked(groups);
  const double n = order.values;
  const double variance = n * (n + 1) / 12 - order.ties / (12 * (n - 1));
  std::vector<GroupPair> pairs;
  for (std::size_t a = 0; a < groups.size(); ++a) {
    for (std::size_t b = a + 1; b < groups.size(); ++b) {
      const double sizes = 1 / static_cast<double>(groups[a].size()) + 1 / static_cast<double>(groups[b].size());
      const double apart = std::abs(order.mean_ranks[a] - order.mean_ranks[b]);
      const double p = variance > 0 ? std::erfc(apart / std::sqrt(variance * sizes) / std::numbers::sqrt2) : 1.0;
      pairs.push_back({a, b, p});
    }
  }
  // Holm: the smallest p times the number of pairs, the next one less, never below one before it.
  std::vector<std::size_t> by_p(pairs.size());
  for (std::size_t i = 0; i < by_p.size(); ++i) by_p[i] = i;
  std::ranges::sort(by_p, {}, [&](std::size_t i) { return pairs[i].p; });
  double before = 0.0;
  for (std::size_t i = 0; i < by_p.size(); ++i) {
    double& p = pairs[by_p[i]].p;
    p = before = std::min(1.0, std::max(before, p * static_cast<double>(by_p.size() - i)));
  }
  return pairs;
}

}  // namespace sill::cli
