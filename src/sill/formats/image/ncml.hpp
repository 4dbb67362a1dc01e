// A dataset in NcML, the XML language that describes netCDF files.
#pragma once

#include <string>

#include "sill/formats/array/dataset_description.hpp"

namespace sill::image {

/// Local. Returns the description as an XML element `<netcdf>`, which contains dimensions, variables and attributes.
/// Files that contain it are read back completely, even if their format cannot represent everything. Errors: usage for
/// names with spaces, and for text that XML cannot represent: control characters, bytes that are not UTF-8. Source:
/// "NetCDF Markup Language (NcML) 2.2".
[[nodiscard]] std::string ncml_of(const DatasetDescription& description);

/// Local. Throws if XML cannot represent a file name, or if the name begins or ends with blanks. Errors: usage.
void require_file_name(const std::string& name);

/// Local. Returns the section of a text from `<netcdf` to `</netcdf>`; empty if there is none.
[[nodiscard]] std::string ncml_in(const std::string& text);

/// Local. Returns the description that `<netcdf>` states. Errors: input, without a file, if `ncml_of` does not write
/// such text.
[[nodiscard]] DatasetDescription description_in(const std::string& ncml);

}  // namespace sill::image
