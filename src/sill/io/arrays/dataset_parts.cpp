#include "sill/io/arrays/dataset_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sill/base/error.hpp"

namespace sill {

void require_steps(std::span<const ArrayPart> parts, std::optional<std::int64_t> steps) {
  if (steps && (*steps < 1 || *steps > max_steps_of_call)) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("arrays: a call completes {} steps", *steps),
                 .action = fmt::format("complete 1 to {}", max_steps_of_call)});
  }
  for (const ArrayPart& part : parts) {
    if (part.step >= 0 && part.step < steps.value_or(1)) continue;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("variable {}: a part has step {}, but this call completes {} steps",
                                        part.variable, part.step, steps.value_or(1)),
                 .action = "count the steps of a call from 0, and complete them with the call (write_steps, in C and "
                           "Fortran sill_dataset_write_step)"});
  }
}

std::vector<Extent> extents_to_write(std::span<const ArrayPart> parts, const DatasetDescription& description,
                                     const std::function<VariablePlaces(std::size_t, std::int64_t)>& places_of,
                                     PartSources& sources, std::vector<std::int64_t>& brought) {
  std::vector<Extent> extents;
  ListOrders orders;
  for (const ArrayPart& part : parts) {
    const CheckedPart checked = checked_part(part, description);
    if (elements_of(part) == 0) continue;
    brought[checked.variable] += elements_of(part);
    const VariablePlaces places = places_of(checked.variable, part.step);
    if (part.elements) {
      ListedElements& list = sources.lists.emplace_back(orders.of(*part.elements), places.form, part.variable);
      list.take(part.first, part.type);
      std::ranges::move(list.extents(places.array), std::back_inserter(extents));
      continue;
    }
    const ArrayBox& box = checked.box;
    const std::int64_t size = bytes_of(places.form.type);
    // An encoder gathers isolated elements faster.
    const bool has_rows = box.strides_bytes.empty() || box.strides_bytes.back() == size || part.box.count.back() == 1;
    const bool is_as_in_file =
        has_rows && part.type == places.form.type && (places.form.order == native_order || size == 1);
    extents.push_back(subarray(places.array, part.box, is_as_in_file ? box.first : nullptr, box.strides_bytes));
    if (!is_as_in_file) extents.back().encoder = &sources.encoders.emplace_back(box, places.form, part.variable);
  }
  return extents;
}

}  // namespace sill
