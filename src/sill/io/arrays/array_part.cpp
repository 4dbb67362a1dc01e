#include "sill/io/arrays/array_part.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sill/base/error.hpp"
#include "sill/base/first_index.hpp"

namespace sill {
namespace {

constexpr const char* no_memory =
    "pass the address of the first element; in Fortran, pass a contiguous array with as many values as the stored box "
    "or the list of elements";

[[noreturn]] void refuse(const ArrayPart& part, const std::string& problem, std::string action) {
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("variable {}: {}", part.variable, problem),
               .action = std::move(action)});
}

std::string elements_text(const Box& box) {
  Index first = box.first;
  for (std::int64_t& index : first) index += first_index();
  return fmt::format("{} elements from ({})", fmt::join(in_order_of_language(box.count), " x "),
                     fmt::join(in_order_of_language(first), ", "));
}

}  // namespace

void ArrayPart::lie_in(const Box& of_stored) {
  stored = of_stored;
  if (!lies_in(box, of_stored) || !is_countable(of_stored, bytes_of(type))) return;
  strides = row_major_strides(of_stored.count, 1);
  for (std::size_t d = 0; d < strides.size() && first != nullptr && !box.empty(); ++d) {
    first += (box.first[d] - of_stored.first[d]) * strides[d] * bytes_of(type);
  }
}

std::int64_t step_of(const ArrayPart& part, std::int64_t first) {
  std::int64_t step = 0;
  return part.step < 0 || __builtin_add_overflow(first, part.step, &step) ? -1 : step;
}

CheckedPart checked_part(const ArrayPart& part, const DatasetDescription& description) {
  if (part.error) throw Error(*part.error);
  const std::size_t number = description.variable_named(part.variable);
  const Variable& variable = description.variables[number];
  const Index shape = description.shape_of(variable);
  const Box& box = part.box;
  if (!is_convertible(part.type, variable.type)) {
    refuse(part, fmt::format("elements of type {} for type {}", name_of(part.type), name_of(variable.type)),
           "text is not a number");
  }
  if (part.elements) {
    const std::int64_t count = whole(shape).items();
    for (const std::int64_t element : *part.elements) {
      if (element >= 0 && element < count) continue;
      refuse(part, fmt::format("element number {} of {}", element + first_index(), count),
             fmt::format("number the elements from {}, in the order of an array of this shape", first_index()));
    }
    const auto listed = static_cast<std::int64_t>(part.elements->size());
    if (listed > 0 && part.first == nullptr) refuse(part, "elements without memory", no_memory);
    return {number, {part.first, part.type, {listed}, {bytes_of(part.type)}}};
  }
  if (box.first.size() != shape.size() || box.count.size() != shape.size()) {
    refuse(part,
           fmt::format("a box of {} dimensions, of {}{}", box.first.size(), shape.size(),
                       description.has_steps(variable) ? " in addition to the unlimited dimension" : ""),
           "give the first element and a count for each dimension");
  }
  for (const std::int64_t count : box.count) {
    if (count < 0)
      refuse(part, fmt::format("a box of {} elements", fmt::join(in_order_of_language(box.count), " x ")),
             "give counts of 0 or more");
  }
  CheckedPart checked{number, {.first = part.first, .type = part.type, .count = box.count}};
  if (box.empty()) return checked;
  if (!lies_in(box, whole(shape))) {
    refuse(
        part,
        fmt::format("{} are outside its shape {}", elements_text(box), fmt::join(in_order_of_language(shape), " x ")),
        fmt::format("count from {}", first_index()));
  }
  if (part.stored && part.strides.size() != shape.size()) {
    refuse(part, fmt::format("{} are outside the stored box, {}", elements_text(box), elements_text(*part.stored)),
           "make the stored box contain the box and its ghost points");
  }
  if (part.strides.size() != shape.size()) {
    refuse(part, fmt::format("{} strides for {} dimensions", part.strides.size(), shape.size()),
           "give one for each dimension");
  }
  if (part.first == nullptr) refuse(part, "a box of elements without memory", no_memory);
  for (const std::int64_t stride : part.strides) checked.box.strides_bytes.push_back(stride * bytes_of(part.type));
  return checked;
}

}  // namespace sill
