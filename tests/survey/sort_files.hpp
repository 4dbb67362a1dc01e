// A sort from paths, as a program does it: opened, then sorted.
#pragma once

#include <string>
#include <vector>

#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/sort/sort.hpp"

namespace sill::test {

/// Collective. Opens the inputs and sorts them. Errors: those of SurveyReader and of sort.
inline SortResult sort_files(const Resources& resources, const std::vector<std::string>& inputs,
                             const SortOptions& options) {
  const SurveyReader reader(resources, inputs);
  return sort(resources, reader, options);
}

}  // namespace sill::test
