// Elements of an array by their numbers, as bytes of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/array_code.hpp"
#include "sill/formats/array/element_conversion.hpp"
#include "sill/plan/extent.hpp"
#include "sill/plan/subarray.hpp"

namespace sill {

/// Elements of a list in ascending order, and their bytes as the file has them.
class ListedElements {
 public:
  /// Local. `numbers` are in any order; those that follow one another become one extent. Errors: memory.
  ListedElements(std::span<const std::int64_t> numbers, ElementForm file, std::string variable);

  /// Local. Takes the elements from memory, one after another from `first` on. Errors: usage for a value that the
  /// file's type does not hold.
  void take(const std::byte* first, ElementType type);
  /// Local. Puts the elements into memory, once they were read. Errors: as `take`, of the memory's type.
  void put(std::byte* first, ElementType type) const;

  /// Local. Returns their extents in an array whose elements lie one after another from `array.first_byte` on. The
  /// bytes are those of this object.
  [[nodiscard]] std::vector<Extent> extents(const FileArray& array);

 private:
  std::vector<std::int64_t> numbers_;  // ascending
  std::vector<std::int64_t> places_;   // of each in the list; empty: the list ascends
  ElementForm file_;
  std::string variable_;
  std::vector<std::byte> bytes_;
};

}  // namespace sill
