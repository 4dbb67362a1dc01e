// Records as elements of an XML document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sill::records {

/// Local. Returns a record as an XML element `record` with the id of the record. The element contains the elements of
/// the record and everything between them, but not the declarations before the first element. Errors: input, without a
/// file, unless the record is XML in UTF-8. Source: XML 1.0.
[[nodiscard]] std::string xml_element(std::int64_t id, std::string_view record);

}  // namespace sill::records
