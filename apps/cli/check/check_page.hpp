// What `sill check` found, as one page of HTML that needs nothing else.
#pragma once

#include <span>
#include <string>

#include "cli/check/check_report.hpp"

namespace sill::cli {

/// Local. The whole page: an overview of all files, then each with its findings, amplitudes, geometry and text header.
/// Nothing of it is fetched from elsewhere, it runs no script, and whatever comes from the files is escaped.
[[nodiscard]] std::string page_of(std::span<const CheckedFile> files);

}  // namespace sill::cli
