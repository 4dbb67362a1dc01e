// A dataset in NcML, the XML that describes netCDF files.
#pragma once

#include <string>

#include "sill/formats/array/dataset_description.hpp"

namespace sill::image {

/// Local. Returns `<netcdf>`, which holds dimensions, variables and attributes. Files that hold it are read as what was
/// written, whatever their format can say. Errors: usage for names with spaces, and for text that XML cannot hold:
/// control characters, bytes that are not UTF-8. Source: "NetCDF Markup Language (NcML) 2.2".
[[nodiscard]] std::string ncml_of(const DatasetDescription& description);

/// Local. Errors: usage for the name of a file that XML cannot hold, or that blanks begin or end.
void require_file_name(const std::string& name);

/// Local. Returns the part of a text from `<netcdf` to `</netcdf>`; nothing if there is none.
[[nodiscard]] std::string ncml_in(const std::string& text);

/// Local. Returns what `<netcdf>` says. Errors: input if that is not what `ncml_of` writes, without a file.
[[nodiscard]] DatasetDescription description_in(const std::string& ncml);

}  // namespace sill::image
