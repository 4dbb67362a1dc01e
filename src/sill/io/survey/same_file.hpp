// Keeping outputs away from inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"

namespace sill {

/// Collective. Errors: usage if `output` is the same file as one of `inputs`, by whatever path or link.
void require_other_file(const Resources& resources, const std::string& output, const std::vector<std::string>& inputs);

/// Collective. The same of many at once. Errors: usage if one of `outputs` is one of `inputs` or another of `outputs`.
void require_other_files(const Resources& resources, const std::vector<std::string>& outputs,
                         const std::vector<std::string>& inputs);

/// Local. The files, where their indexes are kept and where their journals are: what a command that reads the files
/// must not replace.
[[nodiscard]] std::vector<std::string> with_kept_beside(std::vector<std::string> paths);

/// Collective. For each of `paths` the index of the first that is the same file, by whatever path or link, as rank 0
/// sees it. What cannot be looked at is an error where it is opened.
[[nodiscard]] std::vector<std::int64_t> first_of_same_files(const Resources& resources,
                                                            const std::vector<std::string>& paths);

}  // namespace sill
