// The contents of a dataset, for any container: dimensions, variables, attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sill/formats/array/element_type.hpp"
#include "sill/layout/box.hpp"

namespace sill {

/// The length of the dimension that grows by one with each step.
inline constexpr std::int64_t unlimited = -1;

struct Dimension {
  std::string name;
  std::int64_t length = 0;  ///< at least 1, or `unlimited`

  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// A name with one or more values of a type, or with a text.
struct Attribute {
  std::string name;
  ElementType type = ElementType::text;
  std::vector<std::byte> values = {};  ///< in the machine's byte order
  bool is_json = false;                ///< the text is JSON, which Zarr stores as JSON

  Attribute() = default;
  Attribute(std::string of, std::string_view text);
  Attribute(std::string of, const char* text) : Attribute(std::move(of), std::string_view(text)) {}
  template <class T>
  requires std::is_arithmetic_v<T> Attribute(std::string of, T value)
      : Attribute(std::move(of), std::span<const T>(&value, 1)) {}
  template <class T>
  Attribute(std::string of, std::span<const T> list)
      : name(std::move(of)), type(element_type_of<T>()), values(as_bytes_of(std::as_bytes(list))) {}

  /// Local. Returns the number of values; for a text, the number of bytes.
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(values.size()) / bytes_of(type); }
  /// Local. Returns the values as text, separated by ", ".
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Attribute& a, const Attribute& b) {
    return a.name == b.name && a.type == b.type && a.values == b.values;
  }

 private:
  static std::vector<std::byte> as_bytes_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }
};

struct Variable {
  std::string name;  ///< in HDF5 with the names of groups before it: "grid/x"
  ElementType type = ElementType::f4;
  std::vector<std::string> dimensions = {};  ///< slowest first; an unlimited one comes first
  std::vector<Attribute> attributes = {};
  /// In Zarr, the data type in the metadata, as JSON, if it has no ElementType: "bool" of i1 that are 0 or 1; or a type
  /// whose bytes are the last dimension of a variable of u1, such as a structured type. Other containers ignore it.
  std::string zarr_type = {};

  friend bool operator==(const Variable& a, const Variable& b) {
    return a.name == b.name && a.type == b.type && a.dimensions == b.dimensions && a.attributes == b.attributes;
  }
};

struct DatasetDescription {
  std::vector<Dimension> dimensions = {};
  std::vector<Variable> variables = {};
  std::vector<Attribute> attributes = {};

  friend bool operator==(const DatasetDescription&, const DatasetDescription&) = default;

  /// Local. Returns the index of the variable called `name`. Errors: usage, with similar names, if there is none.
  [[nodiscard]] std::size_t variable_named(std::string_view name) const;
  /// Local. Returns the index in `dimensions` of the dimension called `name`. Errors: as variable_named.
  [[nodiscard]] std::size_t dimension_named(std::string_view name) const;
  /// Local. Returns true if the variable has the unlimited dimension, so that steps are written to it. Precondition:
  /// `require_possible` accepts the description.
  [[nodiscard]] bool has_steps(const Variable& variable) const;
  [[nodiscard]] bool has_steps() const;
  /// Local. Returns the shape of a variable; of one step, if the variable has steps. Precondition: `require_possible`
  /// accepts the description.
  [[nodiscard]] Index shape_of(const Variable& variable) const;
  /// Local. Returns the number of bytes of all elements of a variable; of one step, if the variable has steps.
  /// Precondition: `require_possible` accepts the description.
  [[nodiscard]] std::int64_t element_bytes(const Variable& variable) const;
};

/// Local. Returns the name under which a dimension of another program's file is described: `name`, with the length as
/// an ending if that name has another length. Adds the dimension to `dimensions` and `lengths` (by name) if it is new.
[[nodiscard]] std::string name_for_length(std::string name, std::int64_t length, std::vector<Dimension>& dimensions,
                                          std::unordered_map<std::string, std::int64_t>& lengths);

/// Local. Verifies a description. Errors: usage unless every name is valid in netCDF and unique, lengths are at least
/// 1, at most one dimension is unlimited, variables have at most 16 dimensions, which exist, with an unlimited one
/// first, and the bytes of each variable fit into 64 bits.
void require_possible(const DatasetDescription& description);

/// Local. Errors: usage if a name has an ASCII letter and a mark that the normal form NFC composes. NetCDF requires
/// NFC; other violations are not noticed.
void require_composed_names(const DatasetDescription& description);

/// Local. Returns the first difference between two descriptions, as text: "attribute units of variable u".
/// Precondition: the descriptions differ.
[[nodiscard]] std::string first_difference(const DatasetDescription& a, const DatasetDescription& b);

/// Local. Returns an attribute `_FillValue` as one value of type `type`. A float is rounded to the type, as elements
/// are. Returns nullopt unless the attribute has one value that an element of the type can have.
[[nodiscard]] std::optional<Attribute> fill_of_type(const Attribute& attribute, ElementType type);

/// Local. Returns true if variables, their dimensions, types and `_FillValue`s, whatever their types, are the same;
/// other attributes, the order of dimensions and dimensions without variables may differ.
[[nodiscard]] bool has_same_arrays(const DatasetDescription& a, const DatasetDescription& b);

/// Local. Returns `there` with the attributes of `given`, which replace attributes of the same names. Precondition:
/// `has_same_arrays(there, given)`.
[[nodiscard]] DatasetDescription with_attributes_of(DatasetDescription there, const DatasetDescription& given);

/// Local. Returns the first difference between two descriptions that is not in attributes, as text. Precondition:
/// `has_same_arrays(a, b)` is false.
[[nodiscard]] std::string first_difference_of_arrays(const DatasetDescription& a, const DatasetDescription& b);

/// Local. Returns the description as text. Different descriptions have different texts.
[[nodiscard]] std::string text_of(const DatasetDescription& description);

/// Local. Returns `description` with `attribute` added to the variable called `variable`, or to the dataset if
/// `variable` is empty. `attribute` replaces an attribute of the same name. Errors: usage if the variable does not
/// exist.
[[nodiscard]] DatasetDescription with_attribute(DatasetDescription description, const Attribute& attribute,
                                                const std::string& variable);

}  // namespace sill
