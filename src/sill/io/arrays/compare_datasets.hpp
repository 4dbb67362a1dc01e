// Comparison of two datasets by value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/layout/box.hpp"

namespace sill {

/// The accepted difference of values: |a - b| <= absolute + relative * |b|. NaN equals NaN, and infinity equals only
/// itself.
struct CompareTolerance {
  double absolute = 0;
  double relative = 0;
};

/// The differences of one variable.
struct VariableDifference {
  std::string name;
  std::string what = {};                        ///< a difference other than values, as text: "shape 3 x 4 and 4 x 3"
  std::int64_t elements = 0;                    ///< number of elements compared
  std::int64_t differing = 0;                   ///< number of compared elements that differ
  std::optional<std::int64_t> first_step = {};  ///< the first step that differs, if the variable has steps
  Index first_index = {};
  double max_difference = 0;  ///< largest absolute difference of two numbers, neither of which is NaN
};

struct DatasetComparison {
  std::vector<std::string> findings = {};  ///< differences other than values, as text: steps, dimensions, attributes,
                                           ///< what is not compared
  std::vector<VariableDifference> variables = {};  ///< the variables that both files have
  [[nodiscard]] bool are_equal() const;
};

/// Collective. Compares `a` with `b`: dimensions, attributes, steps, and the values of variables that both have, if
/// their shapes are equal and one type can represent the values of both. Errors: usage for tolerances that are not
/// numbers of 0 or more; input; io.
[[nodiscard]] DatasetComparison compare_datasets(const Resources& resources, const std::string& a, const std::string& b,
                                                 const CompareTolerance& tolerance, Missing missing = Missing::fill);

}  // namespace sill
