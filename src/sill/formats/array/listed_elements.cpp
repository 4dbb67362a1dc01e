#include "sill/formats/array/listed_elements.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

namespace sill {
namespace {

// Elements in another order are gathered or scattered in blocks of this size; each block is converted at once.
constexpr std::size_t max_block_elements = 512;
constexpr std::size_t max_element_bytes = 8;
using Block = std::array<std::byte, max_block_elements * max_element_bytes>;

void pull(const std::byte* first, ElementType type, std::span<const std::int64_t> places, std::byte* to) {
  visit_type(type, [&](auto of_type) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::memcpy(to + i * sizeof of_type, first + places[i] * std::int64_t{sizeof of_type}, sizeof of_type);
    }
  });
}

void push(const std::byte* from, ElementType type, std::span<const std::int64_t> places, std::byte* first) {
  visit_type(type, [&](auto of_type) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::memcpy(first + places[i] * std::int64_t{sizeof of_type}, from + i * sizeof of_type, sizeof of_type);
    }
  });
}

// Calls `visit(block, from)` for blocks of positions; `from` is the index of the first position of the block.
template <class Visit>
void for_each_block(std::span<const std::int64_t> places, Visit&& visit) {
  for (std::size_t from = 0; from < places.size(); from += max_block_elements) {
    visit(places.subspan(from, std::min(max_block_elements, places.size() - from)), static_cast<std::int64_t>(from));
  }
}

}  // namespace

ListOrder::ListOrder(std::span<const std::int64_t> numbers) : ascending_(numbers.begin(), numbers.end()) {
  if (std::ranges::is_sorted(numbers)) return;
  places_.resize(numbers.size());
  std::iota(places_.begin(), places_.end(), std::int64_t{0});
  std::ranges::stable_sort(places_, {}, [&](std::int64_t place) { return numbers[static_cast<std::size_t>(place)]; });
  std::ranges::transform(places_, ascending_.begin(),
                         [&](std::int64_t place) { return numbers[static_cast<std::size_t>(place)]; });
}

std::shared_ptr<const ListOrder> ListOrders::of(std::span<const std::int64_t> numbers) {
  const bool is_last = order_ != nullptr && numbers.data() == numbers_.data() && numbers.size() == numbers_.size();
  if (!is_last) order_ = std::make_shared<const ListOrder>(numbers);
  numbers_ = numbers;
  return order_;
}

ListedElements::ListedElements(std::shared_ptr<const ListOrder> order, ElementForm file, std::string variable)
    : order_(std::move(order)),
      file_(file),
      variable_(std::move(variable)),
      bytes_(std::make_unique_for_overwrite<std::byte[]>(order_->ascending().size() *
                                                         static_cast<std::size_t>(bytes_of(file.type)))) {}

void ListedElements::take(const std::byte* first, ElementType type) {
  const ElementRow from{bytes_of(type), {type}};
  const ElementRow to{bytes_of(file_.type), file_};
  const auto refuse = [&](const std::byte* element) { refuse_value(variable_, element, from.form, file_.type); };
  if (order_->places().empty()) {
    const auto count = static_cast<std::int64_t>(order_->ascending().size());
    const std::int64_t converted = convert_elements(first, from, bytes_.get(), to, count);
    if (converted < count) refuse(first + converted * from.stride_bytes);
    return;
  }
  for_each_block(order_->places(), [&](std::span<const std::int64_t> places, std::int64_t number) {
    Block block;
    pull(first, type, places, block.data());
    const std::int64_t converted =
        convert_elements(block.data(), from, bytes_.get() + number * to.stride_bytes, to, std::ssize(places));
    if (converted < std::ssize(places)) refuse(block.data() + converted * from.stride_bytes);
  });
}

void ListedElements::put(std::byte* first, ElementType type) const {
  const ElementRow from{bytes_of(file_.type), file_};
  const ElementRow to{bytes_of(type), {type}};
  const auto refuse = [&](std::int64_t number) {
    refuse_value(variable_, bytes_.get() + number * from.stride_bytes, file_, type);
  };
  if (order_->places().empty()) {
    const auto count = static_cast<std::int64_t>(order_->ascending().size());
    const std::int64_t converted = convert_elements(bytes_.get(), from, first, to, count);
    if (converted < count) refuse(converted);
    return;
  }
  for_each_block(order_->places(), [&](std::span<const std::int64_t> places, std::int64_t number) {
    Block block;
    const std::int64_t converted =
        convert_elements(bytes_.get() + number * from.stride_bytes, from, block.data(), to, std::ssize(places));
    if (converted < std::ssize(places)) refuse(number + converted);
    push(block.data(), type, places, first);
  });
}

std::vector<Extent> ListedElements::extents(const FileArray& array) {
  return listed(array.file, {array.first_byte, array.element_bytes, 0}, order_->ascending(), bytes_.get());
}

}  // namespace sill
