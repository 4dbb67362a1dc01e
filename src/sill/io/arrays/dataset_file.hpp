// What a file of arrays holds, seen by all ranks.
#pragma once

#include <string>

#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Collective. Returns what the netCDF file `path` holds: rank 0 reads its header. Errors: io; as cdf::parse_header.
[[nodiscard]] cdf::FileContents read_contents(const Resources& resources, const std::string& path);

}  // namespace sill
