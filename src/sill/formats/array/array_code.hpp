// Conversion between boxes of arrays in memory and bytes of a file: any strides, types and byte orders.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "sill/formats/array/element_conversion.hpp"
#include "sill/layout/box.hpp"
#include "sill/plan/extent.hpp"

namespace sill {

/// Local. Throws Error(usage) for the element `value` of `variable`, which is stored as `from`, because the type `to`
/// cannot represent it.
[[noreturn]] void refuse_value(const std::string& variable, const std::byte* value, ElementForm from, ElementType to);

/// A box of elements in memory. Dimensions are in file order, slowest first.
struct ArrayBox {
  std::byte* first = nullptr;  ///< the first element; not modified when writing to a file
  ElementType type = ElementType::f4;
  Index count = {};
  Index strides_bytes = {};  ///< from one element to the next in each dimension; may be negative
};

/// Visits the elements of an ArrayBox in file order.
class ArrayRows {
 public:
  explicit ArrayRows(const ArrayBox& box);

  /// Local. Calls `visit(index, at, length)` per row of the `count` elements from `element`, in file order: the first
  /// of `length` elements is at `at`, the others `stride_bytes()` apart.
  template <class Visit>
  void for_each(std::int64_t element, std::int64_t count, Visit&& visit) const {
    if (count <= 0) return;
    std::int64_t length = std::min(row_ - element % row_, count);
    std::byte* row = at(element);
    visit(element, row, length);
    if (length == count) return;
    row -= element % row_ * stride_;
    Index place(count_.size());  // index of the row in the outer dimensions
    std::int64_t rest = element / row_;
    for (std::size_t d = place.size(); d-- > 0; rest /= count_[d]) place[d] = rest % count_[d];
    while ((count -= length) > 0) {
      element += length;
      for (std::size_t d = place.size(); d-- > 0;) {
        row += strides_[d];
        if (++place[d] < count_[d]) break;
        row -= place[d] * strides_[d];
        place[d] = 0;
      }
      length = std::min(row_, count);
      visit(element, row, length);
    }
  }
  [[nodiscard]] std::int64_t stride_bytes() const { return stride_; }
  /// Local. Returns the address of an element.
  [[nodiscard]] std::byte* at(std::int64_t element) const {
    std::byte* found = first_ + element % row_ * stride_;
    std::int64_t rest = element / row_;
    for (std::size_t d = count_.size(); d-- > 0; rest /= count_[d]) found += rest % count_[d] * strides_[d];
    return found;
  }
  /// Local. Returns true if the `count` elements starting at `element` are in one row.
  [[nodiscard]] bool are_in_row(std::int64_t element, std::int64_t count) const {
    return element % row_ + count <= row_;
  }
  /// Local. Returns true if rows certainly do not share memory: each dimension strides over everything inside it.
  [[nodiscard]] bool are_apart() const { return are_apart_; }

 private:
  std::byte* first_;
  std::int64_t row_ = 1;     // elements of the innermost dimension
  std::int64_t stride_ = 0;  // between them, in bytes
  Index count_;              // of the outer dimensions
  Index strides_;
  bool are_apart_ = true;
};

/// Converts a box of a variable in memory to bytes of a file.
class ArrayEncoder final : public Encoder {
 public:
  /// Local. Creates the encoder of the box `from` for elements of the form `file`. `variable` is the name of the
  /// variable, for messages. Preconditions: the types of `from` and `file` are convertible (is_convertible); the box is
  /// not empty.
  ArrayEncoder(const ArrayBox& from, ElementForm file, std::string variable);

  void fill(ByteRange range, std::span<std::byte> bytes) const override;
  [[nodiscard]] bool is_for_threads() const override { return true; }
  [[nodiscard]] const std::byte* source_of(std::int64_t packed) const override;

 private:
  void convert(std::int64_t element, std::int64_t count, std::byte* to) const;

  ArrayRows rows_;
  ElementForm memory_;
  ElementForm file_;
  std::string variable_;
};

/// Converts the bytes of a box of a variable to memory.
class ArrayDecoder final : public Decoder {
 public:
  /// Local. Creates the decoder of elements of the form `file` to the box `to`. `variable` is the name of the variable,
  /// for messages. Preconditions: as for the constructor of ArrayEncoder.
  ArrayDecoder(const ArrayBox& to, ElementForm file, std::string variable);

  void take(ByteRange range, std::span<const std::byte> bytes) override;
  [[nodiscard]] std::byte* place_of(ByteRange range) const override;

 private:
  // An element of which only some bytes have arrived.
  struct Partial {
    std::array<std::byte, 8> bytes;
    std::int64_t have = 0;
  };
  void convert(std::int64_t element, std::int64_t count, const std::byte* from);
  void take_part(std::int64_t element, std::int64_t first_byte, std::span<const std::byte> bytes);

  ArrayRows rows_;
  ElementForm memory_;
  ElementForm file_;
  std::string variable_;
  std::map<std::int64_t, Partial> partial_;
};

}  // namespace sill
