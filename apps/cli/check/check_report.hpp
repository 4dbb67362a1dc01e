// What `sill check` found, as text and as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/survey/check/check.hpp"

namespace sill::cli {

/// Samples by amplitude, in bars of equal width around zero.
struct AmplitudeBars {
  double lowest = 0.0;
  double highest = 0.0;
  std::int64_t below = 0;
  std::int64_t above = 0;
  std::vector<std::int64_t> counts;  ///< by the bins of the histogram: each at most 1/256 of its amplitude away
};

/// Local. Bars as wide as nearly all samples need, and no wider for what a few wild ones reach; none without finite
/// samples.
[[nodiscard]] AmplitudeBars bars_of(const Amplitudes& amplitudes);

/// One of the files named: checked, or why it could not be.
struct CheckedFile {
  std::string path;
  std::optional<CheckResult> result;  ///< its histogram is dropped once there are bars
  AmplitudeBars bars;
  std::optional<Error> error;
  std::string section_element = {};  ///< on rank 0, for a page
  std::string no_section = {};       ///< why there is none
};

/// Local. The grade of the worst finding of all files; critical if one could not be read.
[[nodiscard]] Grade worst_of(std::span<const CheckedFile> files);

/// Local. For people.
[[nodiscard]] std::string text_of(const CheckResult& result);

/// Local. A line for each file, with its findings by grade, and what holds for all.
[[nodiscard]] std::string summary_of(std::span<const CheckedFile> files);

/// Local. "SEG-Y revision 1.0", or what else it is.
[[nodiscard]] std::string format_of(const segy::FileDescription& file);

/// Local. The whole document as docs/check.md has it.
[[nodiscard]] nlohmann::ordered_json json_of(std::span<const CheckedFile> files);

}  // namespace sill::cli
