// Protection of inputs from being overwritten by outputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"

namespace sill {

/// Collective. Checks an output. Errors: usage if `output` is the same file as one of `inputs`, by any path or link, or
/// a folder that contains one or is in one.
void require_other_file(const Resources& resources, const std::string& output, const std::vector<std::string>& inputs);

/// Collective. Checks many outputs. Errors: usage if one of `outputs` is one of `inputs`, a folder that contains
/// one or is in one, or another of `outputs`.
void require_other_files(const Resources& resources, const std::vector<std::string>& outputs,
                         const std::vector<std::string>& inputs);

/// Local. Returns `paths` and the paths of their indexes and journals. A command that reads `paths` must not replace
/// any of these files.
[[nodiscard]] std::vector<std::string> with_kept_beside(std::vector<std::string> paths);

/// Collective. Returns for each of `paths` the index of the first path to the same file, by any path or link, as rank 0
/// sees it. A path that cannot be examined is not an error here, but when it is opened.
[[nodiscard]] std::vector<std::int64_t> first_of_same_files(const Resources& resources,
                                                            const std::vector<std::string>& paths);

}  // namespace sill
