// What a rank brings to a variable of a dataset, or takes from one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sill/formats/array/array_code.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/array/element_type.hpp"
#include "sill/layout/box.hpp"

namespace sill {

/// A box of a variable, or a list of its elements, and where they lie in the memory of this rank. Indices count from 0,
/// slowest dimension first, without the unlimited one.
struct ArrayPart {
  std::string variable;
  Box box;                             ///< in the variable; may be empty
  ElementType type = ElementType::f4;  ///< of the elements in memory
  std::byte* first = nullptr;          ///< the first element of the box
  Index strides = {};                  ///< from one element to the next in each dimension, in elements
  bool is_constant = false;            ///< the memory is only read
  /// Instead of a box: elements in any order, which lie one after another in memory, such as a rank's part of an
  /// unstructured mesh. Element (k, j, i) of a variable of shape (z, y, x) has the number (k * y + j) * x + i.
  std::optional<std::span<const std::int64_t>> elements = {};
  std::optional<Box> stored = {};  ///< what the memory holds with ghost points, if that is known: it contains the box
  std::int64_t step = 0;  ///< of a variable with steps: how many steps after the first that the call writes or reads

  ArrayPart() = default;

  /// Local. Elements of `box` one after another, the last dimension fastest.
  template <class T>
  ArrayPart(std::string of, Box of_box, T* values) : ArrayPart(std::move(of), of_box, of_box, values) {}

  /// Local. The elements `of_box` of an array that holds those of `of_stored`: with ghost points, also beyond the
  /// variable, the last dimension fastest.
  template <class T>
  ArrayPart(std::string of, Box of_box, const Box& of_stored, T* values)
      : ArrayPart(std::move(of), std::move(of_box), values, Index{}) {
    lie_in(of_stored);
  }

  /// Local. Any order of dimensions and margins: `values` is the first element of the box, and neighbours lie
  /// `of_strides` elements apart, which may be negative.
  template <class T>
  ArrayPart(std::string of, Box of_box, T* values, Index of_strides)
      : variable(std::move(of)),
        box(std::move(of_box)),
        type(element_type_of<std::remove_const_t<T>>()),
        first(const_cast<std::byte*>(reinterpret_cast<const std::byte*>(values))),
        strides(std::move(of_strides)),
        is_constant(std::is_const_v<T>) {}

  /// Local. Lets `first`, which is that of `of_stored`, be the first element of the box. `checked_part` refuses a box
  /// that does not lie there.
  void lie_in(const Box& of_stored);
};

/// Local. Returns a part of listed elements. For writing, all ranks together list each element once.
template <class T>
[[nodiscard]] ArrayPart listed_elements(std::string variable, std::span<const std::int64_t> elements, T* values) {
  ArrayPart part(std::move(variable), Box{}, values);
  part.elements = elements;
  return part;
}

/// Local. Returns how many elements a part has.
[[nodiscard]] inline std::int64_t elements_of(const ArrayPart& part) {
  return part.elements ? static_cast<std::int64_t>(part.elements->size()) : part.box.items();
}

/// Local. Returns the step of a part that comes with a call from step `first` on; -1: there can be no such step.
[[nodiscard]] std::int64_t step_of(const ArrayPart& part, std::int64_t first);

/// A part that can be one of a dataset.
struct CheckedPart {
  std::size_t variable = 0;  ///< its place in the description
  ArrayBox box;              ///< where its elements lie; of a list in one dimension
};

/// Local. Returns where the elements of a part lie. Errors: usage unless the variable exists in `description`, the box
/// lies in its shape and in what the memory holds, there are as many strides as dimensions, all listed elements are
/// some of the variable, and the types are both text or both numbers.
[[nodiscard]] CheckedPart checked_part(const ArrayPart& part, const DatasetDescription& description);

}  // namespace sill
