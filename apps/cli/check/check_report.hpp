// What `sill check` found, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "sill/base/error.hpp"
#include "sill/survey/check/check.hpp"

namespace sill::cli {

/// One of the files named: checked, or why it could not be.
struct CheckedFile {
  std::string path;
  std::optional<CheckResult> result;
  std::optional<Error> error;
};

/// Local. The grade of the worst finding of all files; critical if one could not be read.
[[nodiscard]] Grade worst_of(std::span<const CheckedFile> files);

/// Local. For people.
[[nodiscard]] std::string text_of(const CheckResult& result);

/// Local. "SEG-Y revision 1.0", or what else it is.
[[nodiscard]] std::string format_of(const segy::FileDescription& file);

/// Local. The whole document as docs/check.md has it.
[[nodiscard]] nlohmann::ordered_json json_of(std::span<const CheckedFile> files);

}  // namespace sill::cli
