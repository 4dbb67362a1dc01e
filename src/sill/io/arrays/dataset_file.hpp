// What a file of arrays holds, seen by all ranks.
#pragma once

#include <filesystem>
#include <string>

#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Local. Returns what has the name `path`, links not followed. Errors: io if that cannot be known.
[[nodiscard]] std::filesystem::file_status status_at(const std::string& path);

/// Collective. Returns what the netCDF file `path` holds: rank 0 reads its header. Errors: io; as cdf::parse_header.
[[nodiscard]] cdf::FileContents read_contents(const Resources& resources, const std::string& path);

}  // namespace sill
