#include "sill/formats/volume/volume_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sill/base/error.hpp"
#include "sill/base/first_index.hpp"
#include "sill/plan/subarray.hpp"

namespace sill::volume {
namespace {

[[noreturn]] void refuse_volume(std::string problem, std::string action) {
  throw Error(
      {.code = ErrorCode::usage, .problem = "a volume file: " + std::move(problem), .action = std::move(action)});
}

// Returns an index in file order.
Index with_samples(std::int64_t sample, const Index& point) { return {sample, point[2], point[1], point[0]}; }

FileArray array_of(int file, const FileForm& form) {
  return row_major(file, 0, with_samples(form.samples, shape_of(form.kept)), value_bytes);
}

// Returns the number of the first selected point at or after `point`.
std::int64_t number_from(const Kept& kept, std::int64_t point) {
  if (point <= kept.first) return 0;
  return std::min((point - kept.first - 1) / kept.skip + 1, kept.count());
}

}  // namespace

std::string file_name(std::string_view prefix, char component, std::int64_t step) {
  if (component != 'X' && component != 'Y' && component != 'Z') {
    refuse_volume(fmt::format("its component is {:?}", component), "name it X, Y or Z");
  }
  if (step < 0) refuse_volume(fmt::format("its step is {}", step), "count steps from 0");
  return fmt::format("{}S{}{:07d}", prefix, component, step);
}

void require_possible(const FileForm& form, const Index& shape) {
  if (shape.size() != 3) refuse_volume(fmt::format("a grid of {} dimensions", shape.size()), "give x, y and z");
  if (form.samples < 1) refuse_volume(fmt::format("{} samples", form.samples), "store at least one point");
  for (std::size_t d = 0; d < 3; ++d) {
    const Kept& kept = form.kept[d];
    const bool is_skip = kept.skip >= 1 && kept.skip <= shape[d];
    if (kept.first >= 0 && kept.first <= kept.last && kept.last < shape[d] && is_skip) continue;
    const int one = first_index();
    refuse_volume(fmt::format("every {}th point from {} to {}, with {} points in {}", kept.skip, kept.first + one,
                              kept.last + one, shape[d], "xyz"[d]),
                  fmt::format("count points from {}, within the grid; the first must not be after the last, and the "
                              "stride must be from 1 to the number of points",
                              one));
  }
  std::int64_t room = std::numeric_limits<std::int64_t>::max() / value_bytes / form.samples;
  for (const Kept& kept : form.kept) room /= kept.count();
  if (room == 0) {
    refuse_volume(fmt::format("{} samples of {} x {} x {} points are too large", form.samples, form.kept[0].count(),
                              form.kept[1].count(), form.kept[2].count()),
                  "store fewer samples or points");
  }
}

Index shape_of(const KeptPoints& kept) { return {kept[0].count(), kept[1].count(), kept[2].count()}; }

std::int64_t file_bytes(const FileForm& form) {
  return form.samples * whole(shape_of(form.kept)).items() * value_bytes;
}

std::int64_t byte_of(const FileForm& form, std::int64_t sample, const Index& kept_point) {
  return offset_of(with_samples(sample, kept_point), array_of(0, form).strides_bytes);
}

Box kept_within(const KeptPoints& kept, const Box& box) {
  Box part{Index(3, 0), Index(3, 0)};
  for (std::size_t d = 0; d < 3; ++d) {
    // A box without points has no selected points, wherever it is.
    if (box.count[d] == 0) continue;
    part.first[d] = number_from(kept[d], box.first[d]);
    part.count[d] = number_from(kept[d], box.first[d] + box.count[d]) - part.first[d];
  }
  return part;
}

Extent extent_of(int file, const FileForm& form, ItemRange samples, const Box& part, const float* memory,
                 const ValueStrides& strides) {
  const Box box{with_samples(samples.first, part.first), with_samples(samples.count, part.count)};
  Index strides_bytes = with_samples(strides.sample, strides.point);
  for (std::int64_t& stride : strides_bytes) stride *= value_bytes;
  auto* const first = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(memory));  // only read when writing
  return subarray(array_of(file, form), box, first, strides_bytes);
}

}  // namespace sill::volume
