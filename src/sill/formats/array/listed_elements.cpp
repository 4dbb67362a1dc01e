#include "sill/formats/array/listed_elements.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sill {

ListedElements::ListedElements(std::span<const std::int64_t> numbers, ElementForm file, std::string variable)
    : numbers_(numbers.begin(), numbers.end()),
      file_(file),
      variable_(std::move(variable)),
      bytes_(numbers.size() * static_cast<std::size_t>(bytes_of(file.type))) {
  if (std::is_sorted(numbers.begin(), numbers.end())) return;
  places_.resize(numbers.size());
  std::iota(places_.begin(), places_.end(), std::int64_t{0});
  std::stable_sort(places_.begin(), places_.end(), [&](std::int64_t a, std::int64_t b) {
    return numbers[static_cast<std::size_t>(a)] < numbers[static_cast<std::size_t>(b)];
  });
  for (std::size_t i = 0; i < places_.size(); ++i) numbers_[i] = numbers[static_cast<std::size_t>(places_[i])];
}

void ListedElements::take(const std::byte* first, ElementType type) {
  const std::int64_t size = bytes_of(type);
  const ElementRow from{size, {type}};
  const ElementRow to{bytes_of(file_.type), file_};
  const auto take_some = [&](const std::byte* at, std::int64_t count, std::byte* bytes) {
    const std::int64_t converted = convert_elements(at, from, bytes, to, count);
    if (converted < count) refuse_value(variable_, at + converted * size, from.form, file_.type);
  };
  if (places_.empty()) return take_some(first, static_cast<std::int64_t>(numbers_.size()), bytes_.data());
  std::byte* bytes = bytes_.data();
  for (const std::int64_t place : places_) {
    take_some(first + place * size, 1, bytes);
    bytes += to.stride_bytes;
  }
}

void ListedElements::put(std::byte* first, ElementType type) const {
  const std::int64_t size = bytes_of(type);
  const ElementRow from{bytes_of(file_.type), file_};
  const ElementRow to{size, {type}};
  const auto put_some = [&](const std::byte* bytes, std::int64_t count, std::byte* at) {
    const std::int64_t converted = convert_elements(bytes, from, at, to, count);
    if (converted < count) refuse_value(variable_, bytes + converted * from.stride_bytes, file_, type);
  };
  if (places_.empty()) return put_some(bytes_.data(), static_cast<std::int64_t>(numbers_.size()), first);
  const std::byte* bytes = bytes_.data();
  for (const std::int64_t place : places_) {
    put_some(bytes, 1, first + place * size);
    bytes += from.stride_bytes;
  }
}

std::vector<Extent> ListedElements::extents(const FileArray& array) {
  return listed(array.file, {array.first_byte, array.element_bytes, 0}, numbers_, bytes_.data());
}

}  // namespace sill
