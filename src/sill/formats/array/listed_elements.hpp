// Elements of an array by their numbers, as bytes of a file.
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

/// The order of a list of elements by their numbers. Several variables may have the same list, and share its order.
class ListOrder {
 public:
  /// Local. `numbers` are in any order. Errors: memory.
  explicit ListOrder(std::span<const std::int64_t> numbers);

  [[nodiscard]] std::span<const std::int64_t> ascending() const { return ascending_; }
  /// Local. Returns the place in the list of each of `ascending`; nothing if the list ascends.
  [[nodiscard]] std::span<const std::int64_t> places() const { return places_; }

 private:
  std::vector<std::int64_t> ascending_;
  std::vector<std::int64_t> places_;
};

/// The orders of the lists of one call, in which many variables in turn often have the same list.
class ListOrders {
 public:
  /// Local. Returns the order of a list: the last one again if the list is that of the last call. Precondition: no list
  /// changes while this lives. Errors: memory.
  [[nodiscard]] std::shared_ptr<const ListOrder> of(std::span<const std::int64_t> numbers);

 private:
  std::span<const std::int64_t> numbers_;  // the last list
  std::shared_ptr<const ListOrder> order_;
};

/// Elements of a list in ascending order, and their bytes as the file has them.
class ListedElements {
 public:
  /// Local. Precondition: `order` is not null. Errors: memory.
  ListedElements(std::shared_ptr<const ListOrder> order, ElementForm file, std::string variable);

  /// Local. Takes the elements from memory, one after another from `first` on. Errors: usage for a value that the
  /// file's type does not hold.
  void take(const std::byte* first, ElementType type);
  /// Local. Puts the elements into memory, once they were read. Errors: as `take`, of the memory's type.
  void put(std::byte* first, ElementType type) const;

  /// Local. Returns their extents (`listed`) in an array whose elements lie one after another from `array.first_byte`
  /// on. The bytes are those of this object.
  [[nodiscard]] std::vector<Extent> extents(const FileArray& array);

 private:
  std::shared_ptr<const ListOrder> order_;
  ElementForm file_;
  std::string variable_;
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace sill
