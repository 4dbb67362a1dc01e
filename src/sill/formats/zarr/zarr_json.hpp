// Elements, types and attributes in Zarr's JSON. Only for the sources of this folder.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/array/element_conversion.hpp"

namespace sill::zarr {

/// The attribute of a group with the lengths of all dimensions, in which Sill names the dimension of steps.
inline constexpr const char* dimensions_attribute = "sill_dimensions";

// The library does not export symbols with types of other libraries.
#pragma GCC visibility push(hidden)

using Json = nlohmann::ordered_json;

/// The reason why a description omits an array.
struct Unread {
  std::string reason;
};

/// Local. Throws an input error about metadata in the file `path`.
[[noreturn]] void refuse_metadata(const std::string& path, const std::string& problem);

/// Local. Parses a JSON object. Errors: input.
[[nodiscard]] Json json_of(const std::string& text, const std::string& path);
/// Local. Returns the text of a metadata file. Errors: usage if an attribute is not UTF-8.
[[nodiscard]] std::string text_of(const Json& json);

/// Local. Returns the name of a data type ("float32"), and the type of a name. Errors: Unread for
/// types other than integers and floats.
[[nodiscard]] const char* type_name(ElementType type);
[[nodiscard]] ElementType type_named(const Json& name);
/// Local. Returns type and byte order of a type of version 2 ("<f4"). Errors: as type_named.
[[nodiscard]] std::pair<ElementType, ByteOrder> type_of_version_2(const Json& name);

/// Local. Returns an element as JSON: a number, or "NaN", "Infinity", "-Infinity". Stores such an element at `to`.
/// Errors: Unread if the type has no such element.
[[nodiscard]] Json element_json(const std::byte* element, ElementForm form);
void take_element(const Json& json, ElementForm form, std::byte* to);

/// Local. Returns an attribute of `variable`, or of the group, as JSON. A `_FillValue` of floats is the base64 text of
/// a double, as xarray writes it.
[[nodiscard]] Json attribute_json(const Attribute& attribute, const Variable& variable);
/// Local. Returns the attribute that JSON states, of a variable of this type, or of a group (ElementType::text). Values
/// that are neither text nor numbers become the text of the JSON. Errors: Unread for a `_FillValue` that the type
/// lacks.
[[nodiscard]] Attribute attribute_of(const std::string& name, const Json& json, ElementType of_variable);

/// Local. Returns the bytes of an element of a data type that has no ElementType: structured, raw bytes, or text; 0 for
/// other types. Errors: Unread, Json::exception.
[[nodiscard]] std::int64_t bytes_of_type(const Json& type);

#pragma GCC visibility pop

/// Local. Returns bytes as base64.
[[nodiscard]] std::string base64_text(std::span<const std::byte> bytes);
/// Local. Returns the name of a type in version 2: ">f4".
[[nodiscard]] std::string type_of_version_2(ElementType type, ByteOrder order);

}  // namespace sill::zarr
