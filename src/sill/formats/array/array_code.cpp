#include "sill/formats/array/array_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "sill/base/error.hpp"

namespace sill {
namespace {

// Calls `part(element, first_byte, bytes)` for elements that are partly in `range`, and `whole(element, count, at)` for
// elements that are completely in it; `at` is the offset of their first byte in the range.
template <class Part, class Whole>
void split(ByteRange range, std::int64_t element_bytes, Part&& part, Whole&& whole) {
  std::int64_t at = range.offset;
  const auto take_part = [&] {
    const std::int64_t first = at % element_bytes;
    const std::int64_t length = std::min(element_bytes - first, range.end() - at);
    part(at / element_bytes, first, ByteRange{at - range.offset, length});
    at += length;
  };
  if (at % element_bytes != 0) take_part();
  const std::int64_t count = (range.end() - at) / element_bytes;
  if (count > 0) {
    whole(at / element_bytes, count, at - range.offset);
    at += count * element_bytes;
  }
  if (at < range.end()) take_part();
}

// Prefetches the elements of a later row into the cache, if each is in a cache line of its own. `step_bytes`: distance
// from the preceding row to this one.
void fetch_ahead(const std::byte* row, std::int64_t step_bytes, std::int64_t stride_bytes, std::int64_t count) {
  constexpr std::int64_t line_bytes = 64;
  constexpr std::int64_t rows_ahead = 2;
  constexpr std::int64_t short_row = 64;  // in longer rows the processor detects the stride itself
  if (std::abs(stride_bytes) < line_bytes || count > short_row) return;
  const std::byte* const ahead = row + rows_ahead * step_bytes;
  for (std::int64_t i = 0; i < count; ++i) __builtin_prefetch(ahead + i * stride_bytes);
}

}  // namespace

void refuse_value(const std::string& variable, const std::byte* value, ElementForm from, ElementType to) {
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("variable {}: the value {} of type {} is outside the range of type {}", variable,
                                      element_text(value, from), name_of(from.type), name_of(to)),
               .action = "use a type that can store all values"});
}

ArrayRows::ArrayRows(const ArrayBox& box) : first_(box.first), stride_(bytes_of(box.type)) {
  for (std::size_t d = 0; d < box.count.size(); ++d) {
    if (box.count[d] == 1) continue;
    // A dimension that continues where the one inside it ends is merged with it.
    if (!count_.empty() && strides_.back() == box.count[d] * box.strides_bytes[d]) {
      count_.back() *= box.count[d];
      strides_.back() = box.strides_bytes[d];
    } else {
      count_.push_back(box.count[d]);
      strides_.push_back(box.strides_bytes[d]);
    }
  }
  if (count_.empty()) return;
  row_ = count_.back();
  stride_ = strides_.back();
  count_.pop_back();
  strides_.pop_back();
  std::int64_t inside = row_ * std::abs(stride_);
  for (std::size_t d = count_.size(); d-- > 0; inside = count_[d] * std::abs(strides_[d])) {
    are_apart_ = are_apart_ && std::abs(strides_[d]) >= inside;
  }
}

ArrayEncoder::ArrayEncoder(const ArrayBox& from, ElementForm file, std::string variable)
    : rows_(from), memory_{from.type}, file_(file), variable_(std::move(variable)) {}

void ArrayEncoder::convert(std::int64_t element, std::int64_t count, std::byte* to) const {
  const ElementRow from_row{rows_.stride_bytes(), memory_};
  const ElementRow to_row{bytes_of(file_.type), file_};
  const std::byte* before = nullptr;
  rows_.for_each(element, count, [&](std::int64_t, const std::byte* from, std::int64_t in_row) {
    if (before != nullptr) fetch_ahead(from, from - before, from_row.stride_bytes, in_row);
    before = from;
    const std::int64_t converted = convert_elements(from, from_row, to, to_row, in_row);
    if (converted < in_row) refuse_value(variable_, from + converted * from_row.stride_bytes, memory_, file_.type);
    to += in_row * to_row.stride_bytes;
  });
}

void ArrayEncoder::fill(ByteRange range, std::span<std::byte> bytes) const {
  split(
      range, bytes_of(file_.type),
      [&](std::int64_t element, std::int64_t first_byte, ByteRange part) {
        std::array<std::byte, 8> whole;
        convert(element, 1, whole.data());
        std::memcpy(bytes.data() + part.offset, whole.data() + first_byte, static_cast<std::size_t>(part.length));
      },
      [&](std::int64_t element, std::int64_t count, std::int64_t at) { convert(element, count, bytes.data() + at); });
}

const std::byte* ArrayEncoder::source_of(std::int64_t packed) const { return rows_.at(packed / bytes_of(file_.type)); }

ArrayDecoder::ArrayDecoder(const ArrayBox& to, ElementForm file, std::string variable)
    : rows_(to), memory_{to.type}, file_(file), variable_(std::move(variable)) {}

void ArrayDecoder::convert(std::int64_t element, std::int64_t count, const std::byte* from) {
  const ElementRow from_row{bytes_of(file_.type), file_};
  const ElementRow to_row{rows_.stride_bytes(), memory_};
  rows_.for_each(element, count, [&](std::int64_t, std::byte* to, std::int64_t in_row) {
    const std::int64_t converted = convert_elements(from, from_row, to, to_row, in_row);
    if (converted < in_row) refuse_value(variable_, from + converted * from_row.stride_bytes, file_, memory_.type);
    from += in_row * from_row.stride_bytes;
  });
}

std::byte* ArrayDecoder::place_of(ByteRange range) const {
  const std::int64_t size = bytes_of(file_.type);
  const bool is_alike = memory_.type == file_.type && rows_.stride_bytes() == size && rows_.are_apart();
  if (!is_alike || range.offset % size != 0 || range.length % size != 0) return nullptr;
  return rows_.are_in_row(range.offset / size, range.length / size) ? rows_.at(range.offset / size) : nullptr;
}

void ArrayDecoder::take_part(std::int64_t element, std::int64_t first_byte, std::span<const std::byte> bytes) {
  Partial& partial = partial_[element];
  std::memcpy(partial.bytes.data() + first_byte, bytes.data(), bytes.size());
  partial.have += static_cast<std::int64_t>(bytes.size());
  if (partial.have < bytes_of(file_.type)) return;
  convert(element, 1, partial.bytes.data());
  partial_.erase(element);
}

void ArrayDecoder::take(ByteRange range, std::span<const std::byte> bytes) {
  split(
      range, bytes_of(file_.type),
      [&](std::int64_t element, std::int64_t first_byte, ByteRange part) {
        take_part(element, first_byte,
                  bytes.subspan(static_cast<std::size_t>(part.offset), static_cast<std::size_t>(part.length)));
      },
      [&](std::int64_t element, std::int64_t count, std::int64_t at) { convert(element, count, bytes.data() + at); });
}

}  // namespace sill
