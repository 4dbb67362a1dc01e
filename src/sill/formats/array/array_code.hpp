// Boxes of arrays in memory as bytes of a file, and back: any strides, types and byte orders.
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

/// Local. Throws the usage error of a value that a type does not hold.
[[noreturn]] void refuse_value(const std::string& variable, const std::byte* value, ElementForm from, ElementType to);

/// A box of elements in memory. Dimensions are those of the file, slowest first.
struct ArrayBox {
  std::byte* first = nullptr;  ///< the first element; only read when writing to a file
  ElementType type = ElementType::f4;
  Index count = {};
  Index strides_bytes = {};  ///< from one element to the next in each dimension; may be negative
};

/// How such a box is walked through in the order of the file.
class ArrayRows {
 public:
  explicit ArrayRows(const ArrayBox& box);

  /// Local. Calls `visit(element, at, count)` for `count` elements from `element` of the box on, of which the first
  /// lies at `at` in memory and the others `stride_bytes()` apart, row by row, in the order of the file.
  template <class Visit>
  void for_each(std::int64_t element, std::int64_t count, Visit&& visit) const {
    if (count <= 0) return;
    std::int64_t length = std::min(row_ - element % row_, count);
    std::byte* row = at(element);
    visit(element, row, length);
    if (length == count) return;
    row -= element % row_ * stride_;
    Index place(count_.size());  // of the row, outside it
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
  /// Local. Where an element lies.
  [[nodiscard]] std::byte* at(std::int64_t element) const {
    std::byte* found = first_ + element % row_ * stride_;
    std::int64_t rest = element / row_;
    for (std::size_t d = count_.size(); d-- > 0; rest /= count_[d]) found += rest % count_[d] * strides_[d];
    return found;
  }
  /// Local. Whether `count` elements from `element` on are of one row.
  [[nodiscard]] bool are_in_row(std::int64_t element, std::int64_t count) const {
    return element % row_ + count <= row_;
  }
  /// Local. Whether rows surely do not share memory: each dimension strides over all that is inside it.
  [[nodiscard]] bool are_apart() const { return are_apart_; }

 private:
  std::byte* first_;
  std::int64_t row_ = 1;     // elements of the innermost dimension
  std::int64_t stride_ = 0;  // from one to the next
  Index count_;              // of the dimensions outside it
  Index strides_;
  bool are_apart_ = true;
};

/// Makes the bytes of a box of a variable from memory.
class ArrayEncoder final : public Encoder {
 public:
  /// `variable` is its name, for messages. Preconditions: is_convertible; the box is not empty.
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

/// Puts the bytes of a box of a variable into memory.
class ArrayDecoder final : public Decoder {
 public:
  /// As the constructor of ArrayEncoder.
  ArrayDecoder(const ArrayBox& to, ElementForm file, std::string variable);

  void take(ByteRange range, std::span<const std::byte> bytes) override;
  [[nodiscard]] std::byte* place_of(ByteRange range) const override;

 private:
  // An element of which some bytes are still to come.
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
