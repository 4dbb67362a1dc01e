// The elements of a variable of a dataset that a rank passes or receives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/array/array_code.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/array/element_type.hpp"
#include "sill/layout/box.hpp"

namespace sill {

/// A box of a variable, or a list of its elements, and their position in the memory of this rank. Indices count from 0,
/// with the slowest dimension first and without the unlimited dimension.
struct ArrayPart {
  std::string variable;
  Box box;                             ///< box in the variable; may be empty
  ElementType type = ElementType::f4;  ///< type of the elements in memory
  std::byte* first = nullptr;          ///< address of the first element of the box
  Index strides = {};                  ///< distance between neighbours in each dimension, in elements
  bool is_constant = false;            ///< the memory is only read
  /// Elements in any order, in place of a box. They are stored consecutively in memory, for example the elements of an
  /// unstructured mesh that belong to this rank. Element (k, j, i) of a variable of shape (z, y, x) has the number (k *
  /// y + j) * x + i.
  std::optional<std::span<const std::int64_t>> elements = {};
  std::optional<Box> stored = {};  ///< the box in memory, including ghost points, if known; contains `box`
  std::int64_t step = 0;           ///< if the variable has steps: the number of steps after the first step of the call
  std::shared_ptr<const Error> error = {};  ///< if set, `checked_part` throws it: a caller's arguments were wrong

  ArrayPart() = default;

  /// Local. Describes the elements of `box`, stored consecutively, the last dimension fastest.
  template <class T>
  ArrayPart(std::string of, Box of_box, T* values) : ArrayPart(std::move(of), of_box, of_box, values) {}

  /// Local. Describes the elements `of_box` of an array that stores the box `of_stored`: with ghost points, even
  /// outside the variable, the last dimension fastest.
  template <class T>
  ArrayPart(std::string of, Box of_box, const Box& of_stored, T* values)
      : ArrayPart(std::move(of), std::move(of_box), values, Index{}) {
    lie_in(of_stored);
  }

  /// Local. Describes a box with any order of dimensions and any margins: `values` is the first element of the box, and
  /// neighbours are `of_strides` elements apart, which may be negative.
  template <class T>
  ArrayPart(std::string of, Box of_box, T* values, Index of_strides)
      : variable(std::move(of)),
        box(std::move(of_box)),
        type(element_type_of<std::remove_const_t<T>>()),
        first(const_cast<std::byte*>(reinterpret_cast<const std::byte*>(values))),
        strides(std::move(of_strides)),
        is_constant(std::is_const_v<T>) {}

  /// Local. Moves `first` from the first element of `of_stored` to the first element of the box. `checked_part` rejects
  /// a box that is outside `of_stored`.
  void lie_in(const Box& of_stored);
};

/// Local. Returns a part that consists of listed elements. For writing, no element may be listed twice, on one rank or
/// on several.
template <class T>
[[nodiscard]] ArrayPart listed_elements(std::string variable, std::span<const std::int64_t> elements, T* values) {
  ArrayPart part(std::move(variable), Box{}, values);
  part.elements = elements;
  return part;
}

/// Local. Returns the number of elements of a part.
[[nodiscard]] inline std::int64_t elements_of(const ArrayPart& part) {
  return part.elements ? static_cast<std::int64_t>(part.elements->size()) : part.box.items();
}

/// Local. Returns the step of a part in a call whose first step is `first`, or -1 if there can be no such step.
[[nodiscard]] std::int64_t step_of(const ArrayPart& part, std::int64_t first);

/// A part that has been checked against a dataset.
struct CheckedPart {
  std::size_t variable = 0;  ///< index of the variable in the description
  ArrayBox box;              ///< position of the elements of the part; a list of elements has one dimension
};

/// Local. Returns the position of the elements of a part. Errors: usage unless the variable exists in `description`,
/// the box is within its shape and within the box that the memory stores, the number of strides is the number of
/// dimensions, all listed elements are elements of the variable, and the types are both text or both numbers;
/// `part.error`, if set.
[[nodiscard]] CheckedPart checked_part(const ArrayPart& part, const DatasetDescription& description);

}  // namespace sill
