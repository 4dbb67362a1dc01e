// The results of `sill match4d`, as one HTML page.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sill/survey/timelapse/match4d.hpp"

namespace sill::cli {

/// A quantity of each pair, for the page.
struct PairNumber {
  std::string name;  ///< "NRMS"
  std::string unit;  ///< "%"
  double (*of)(const Match4dPair& pair) = nullptr;
  std::vector<double> sorted = {};  ///< the finite values of all pairs
};

/// Local. Returns the quantities of the pairs: the distance, named after the measure, and, if the traces were compared,
/// the measures of their similarity.
[[nodiscard]] std::vector<PairNumber> pair_numbers(std::span<const Match4dPair> pairs, PositionMeasure measure,
                                                   const std::string& length_unit, bool has_likeness);

/// Percentiles of the finite values of a quantity.
struct Spread {
  std::int64_t count = 0;
  double smallest = 0.0;
  double median = 0.0;
  double percentile_90 = 0.0;
  double largest = 0.0;
};

/// Local. Returns the percentiles; zeros if no pair has the quantity.
[[nodiscard]] Spread spread_of(const PairNumber& number);

/// Local. Returns a page with a histogram and a map of the midpoints for each quantity. `title` names the surveys.
[[nodiscard]] std::string match4d_page_of(const std::string& title, std::span<const Match4dPair> pairs,
                                          std::span<const PairNumber> numbers);

}  // namespace sill::cli
