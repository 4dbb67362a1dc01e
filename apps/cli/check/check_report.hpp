// The results of `sill check`, as text, as JSON, and as one self-contained HTML page.
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
  std::vector<std::int64_t> counts;  ///< number of samples in each bar, from bins whose amplitudes are accurate to
                                     ///< 1/256
};

/// Local. Returns bars that cover nearly all samples, ignoring a few outliers; none without finite samples.
[[nodiscard]] AmplitudeBars bars_of(const Amplitudes& amplitudes);

/// One of the input files: its result, or the error that prevented the check.
struct CheckedFile {
  std::string path;
  std::optional<CheckResult> result;  ///< the histogram of the result is deleted once `bars` is set
  AmplitudeBars bars;
  std::optional<Error> error;
  std::string section_element = {};  ///< HTML element of the section: on rank 0, if a page is requested
  std::string no_section = {};       ///< the reason if there is no section
};

/// Local. Returns the grade of the worst finding in all files; critical if a file could not be read.
[[nodiscard]] Grade worst_of(std::span<const CheckedFile> files);

/// Local. Returns the result as text for users.
[[nodiscard]] std::string text_of(const CheckResult& result);

/// Local. Returns a line per file, with its findings by grade, and a line for all files.
[[nodiscard]] std::string summary_of(std::span<const CheckedFile> files);

/// Local. Returns the format: "SEG-Y revision 1.0", or another format.
[[nodiscard]] std::string format_of(const segy::FileDescription& file);

/// Local. Returns the complete JSON document that docs/check.md describes.
[[nodiscard]] nlohmann::ordered_json json_of(std::span<const CheckedFile> files);

/// Local. Returns the complete page: an overview of all files, then each file with its findings, amplitudes, geometry
/// and text header. The page loads nothing and runs no script. All text from the files is escaped.
[[nodiscard]] std::string page_of(std::span<const CheckedFile> files);

}  // namespace sill::cli
