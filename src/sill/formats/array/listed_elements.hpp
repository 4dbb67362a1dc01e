// Elements of an array, listed by their numbers, as bytes of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/array_code.hpp"
#include "sill/formats/array/element_conversion.hpp"
#include "sill/plan/extent.hpp"
#include "sill/plan/subarray.hpp"

namespace sill {

/// The ascending order of the element numbers in a list. Variables with the same list share its order.
class ListOrder {
 public:
  /// Local. Sorts `numbers`, which may be in any order. Errors: std::bad_alloc.
  explicit ListOrder(std::span<const std::int64_t> numbers);

  [[nodiscard]] std::span<const std::int64_t> ascending() const { return ascending_; }
  /// Local. Returns, for each element of `ascending()`, its position in the list; empty if the list ascends.
  [[nodiscard]] std::span<const std::int64_t> places() const { return places_; }

 private:
  std::vector<std::int64_t> ascending_;
  std::vector<std::int64_t> places_;
};

/// The orders of the lists of one call. Often many consecutive variables have the same list.
class ListOrders {
 public:
  /// Local. Returns the order of a list; reuses the last order if the list is the list of the previous call.
  /// Precondition: no list changes while this object lives. Errors: std::bad_alloc.
  [[nodiscard]] std::shared_ptr<const ListOrder> of(std::span<const std::int64_t> numbers);

 private:
  std::span<const std::int64_t> numbers_;  // the last list
  std::shared_ptr<const ListOrder> order_;
};

/// The elements of a list in ascending order, as bytes of the file.
class ListedElements {
 public:
  /// Local. Allocates the bytes. Precondition: `order` is not null. Errors: std::bad_alloc.
  ListedElements(std::shared_ptr<const ListOrder> order, ElementForm file, std::string variable);

  /// Local. Converts the elements of the list to the form of the file. In memory they are consecutive, in the order of
  /// the list, and begin at `first`. Errors: usage for a value that the file's type cannot represent.
  void take(const std::byte* first, ElementType type);
  /// Local. Converts the elements that were read from the file and writes them to consecutive memory that begins at
  /// `first`, in the order of the list. Errors: usage for a value that `type` cannot represent.
  void put(std::byte* first, ElementType type) const;

  /// Local. Returns the extents of the elements in an array of consecutive elements that begins at `array.first_byte`.
  /// The extents refer to the bytes of this object.
  [[nodiscard]] std::vector<Extent> extents(const FileArray& array);

 private:
  std::shared_ptr<const ListOrder> order_;
  ElementForm file_;
  std::string variable_;
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace sill
