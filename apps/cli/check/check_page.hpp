// The results of `sill check`, as one self-contained HTML page.
#pragma once

#include <span>
#include <string>

#include "cli/check/check_report.hpp"

namespace sill::cli {

/// Local. Returns the complete page: an overview of all files, then each file with its findings, amplitudes, geometry
/// and text header. The page loads nothing and runs no script. All text from the files is escaped.
[[nodiscard]] std::string page_of(std::span<const CheckedFile> files);

}  // namespace sill::cli
