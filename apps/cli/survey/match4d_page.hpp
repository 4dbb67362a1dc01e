// What `sill match4d` found, as one page of HTML.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sill/survey/timelapse/match4d.hpp"

namespace sill::cli {

/// A number of each pair, for the page.
struct PairNumber {
  std::string name;  ///< "NRMS"
  std::string unit;  ///< "%"
  double (*of)(const Match4dPair& pair) = nullptr;
  std::vector<double> sorted = {};  ///< the finite values of all pairs
};

/// Local. The numbers that the pairs have: the distance, named by the measure, and, if they were compared, how alike
/// they are.
[[nodiscard]] std::vector<PairNumber> pair_numbers(std::span<const Match4dPair> pairs, PositionMeasure measure,
                                                   const std::string& length_unit, bool has_likeness);

/// Some percentiles of the finite values of a number.
struct Spread {
  std::int64_t count = 0;
  double smallest = 0.0;
  double median = 0.0;
  double percentile_90 = 0.0;
  double largest = 0.0;
};

/// Local. Zeros, if no pair has the number.
[[nodiscard]] Spread spread_of(const PairNumber& number);

/// Local. A histogram and a map of the midpoints for each number; `title` says which surveys.
[[nodiscard]] std::string match4d_page_of(const std::string& title, std::span<const Match4dPair> pairs,
                                          std::span<const PairNumber> numbers);

}  // namespace sill::cli
