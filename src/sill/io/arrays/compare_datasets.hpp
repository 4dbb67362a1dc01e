// Two datasets by value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/layout/box.hpp"

namespace sill {

/// How far values may be apart: |a - b| <= absolute + relative * |b|. NaN equals NaN, and infinity only itself.
struct CompareTolerance {
  double absolute = 0;
  double relative = 0;
};

/// Where two variables differ.
struct VariableDifference {
  std::string name;
  std::string what = {};                        ///< in words, if it is not values: "shape 3 x 4 and 4 x 3"
  std::int64_t elements = 0;                    ///< that were compared
  std::int64_t differing = 0;                   ///< of those
  std::optional<std::int64_t> first_step = {};  ///< of the first that differs, if the variable has steps
  Index first_index = {};
  double max_difference = 0;  ///< of differing numbers that are no NaN
};

struct DatasetComparison {
  std::vector<std::string> findings = {};  ///< what differs beside values, in words: steps, dimensions, attributes
  std::vector<VariableDifference> variables = {};  ///< that both files have
  [[nodiscard]] bool are_equal() const;
};

/// Collective. Compares `a` with `b`: dimensions, attributes, steps, and the values of variables that both have, if
/// their shapes agree and there is a type that holds the values of both. Errors: usage for tolerances that are no
/// numbers of 0 or more; input; io.
[[nodiscard]] DatasetComparison compare_datasets(const Resources& resources, const std::string& a, const std::string& b,
                                                 const CompareTolerance& tolerance, Missing missing = Missing::fill);

}  // namespace sill
