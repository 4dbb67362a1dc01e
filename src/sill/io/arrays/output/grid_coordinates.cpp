#include "sill/io/arrays/output/grid_coordinates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/array/array_code.hpp"
#include "sill/formats/array/element_conversion.hpp"
#include "sill/formats/hdf5/vtkhdf.hpp"
#include "sill/plan/part.hpp"

namespace sill {
namespace {

struct PassedValue {
  Index index;  // in the variable
  double value;
};

// Passes the numbers of a part to `take` in blocks, with the position of each block, until it returns false.
void for_each_block(const ArrayPart& part, const CheckedPart& checked,
                    const std::function<bool(std::int64_t at, std::span<const double> block)>& take) {
  const std::int64_t count = elements_of(part);
  if (count == 0) return;
  const ArrayEncoder encoder(checked.box, {ElementType::f8}, part.variable);
  std::vector<double> block(8192);
  for (std::int64_t at = 0; at < count; at += std::ssize(block)) {
    block.resize(static_cast<std::size_t>(std::min(std::ssize(block), count - at)));
    encoder.fill({8 * at, 8 * std::ssize(block)}, std::as_writable_bytes(std::span(block)));
    if (!take(at, block)) return;
  }
}

// Returns the first element of a part that is not a number from `min` to `max`.
std::optional<PassedValue> first_outside(const ArrayPart& part, const DatasetDescription& description, double min,
                                         double max) {
  const CheckedPart checked = checked_part(part, description);
  std::optional<PassedValue> outside;
  for_each_block(part, checked, [&](std::int64_t at, std::span<const double> block) {
    const auto found = std::ranges::find_if(block, [&](double each) { return !(each >= min && each <= max); });
    if (found == block.end()) return true;
    std::int64_t rest = at + (found - block.begin());
    outside = {part.box.count, *found};
    if (part.elements) {
      rest = (*part.elements)[static_cast<std::size_t>(rest)];
      outside->index = description.shape_of(description.variables[checked.variable]);
    }
    for (std::size_t d = outside->index.size(); d-- > 0;) {
      const std::int64_t length = std::exchange(outside->index[d], rest % outside->index[d]);
      if (!part.elements) outside->index[d] += part.box.first[d];
      rest /= length;
    }
    return false;
  });
  return outside;
}

// Returns the points of the largest partition of which a rank passes the number of points; empty if it passes none.
std::optional<std::int64_t> points_of_partitions(std::span<const ArrayPart> parts,
                                                 const DatasetDescription& description) {
  std::optional<std::int64_t> largest;
  for (const ArrayPart& part : parts) {
    if (part.variable != "NumberOfPoints" || elements_of(part) == 0) continue;
    if (const auto found = first_outside(part, description, 0, std::numeric_limits<double>::max()))
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("element {} of NumberOfPoints is {}", found->index.front(), found->value),
                   .action = "give the number of points of each partition"});
    for_each_block(part, checked_part(part, description), [&](std::int64_t, std::span<const double> block) {
      largest = std::max(largest.value_or(0), static_cast<std::int64_t>(std::ranges::max(block)));
      return true;
    });
  }
  return largest;
}

// Returns the cell of an element of Connectivity, as text; empty unless this rank passes the offset of the next cell.
std::string cell_of(std::int64_t element, std::span<const ArrayPart> parts, const DatasetDescription& description) {
  for (const ArrayPart& part : parts) {
    if (part.variable != "Offsets" || part.elements) continue;
    const auto next = first_outside(part, description, 0, static_cast<double>(element));
    if (next && next->index.front() > part.box.first.front()) return fmt::format(" (cell {})", next->index.front() - 1);
  }
  return {};
}

}  // namespace

void require_grid_values(std::span<const ArrayPart> parts, const DatasetDescription& description,
                         std::span<const std::optional<std::size_t>> coordinates) {
  constexpr double max = std::numeric_limits<double>::max();
  const auto refuse = [](std::string problem, std::string action) {
    throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
  };
  for (const ArrayPart& part : parts) {
    const std::size_t variable = description.variable_named(part.variable);
    if (std::ranges::find(coordinates, std::optional(variable)) != coordinates.end()) {
      if (const auto found = first_outside(part, description, -max, max))
        refuse(fmt::format("coordinate {} has the value {} at index ({})", part.variable, found->value,
                           fmt::join(found->index, ", ")),
               "give finite coordinates; or write netCDF, HDF5 or Zarr, which store all values");
    } else if (part.variable == "Connectivity" && coordinates.size() == 1) {
      std::int64_t points = description.shape_of(description.variables[*coordinates.front()]).front();
      const bool has_partitions = hdf5::has_partitions(description);
      if (has_partitions) points = std::min(points, points_of_partitions(parts, description).value_or(points));
      if (const auto found = first_outside(part, description, 0, static_cast<double>(points - 1)))
        refuse(fmt::format("element {} of Connectivity{} is {}, but the {} {} points", found->index.front(),
                           has_partitions ? "" : cell_of(found->index.front(), parts, description), found->value,
                           has_partitions ? "largest partition has" : "grid has", points),
               has_partitions ? "give numbers of points in the partition, from 0"
                              : fmt::format("give numbers of points in the whole grid, from 0 to {}", points - 1));
    }
  }
}

CoordinateValues::CoordinateValues(const image::VtkGrid& grid, const DatasetDescription& description) {
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (!grid.coordinates[a]) continue;
    const Variable& variable = description.variables[*grid.coordinates[a]];
    const std::int64_t count = description.shape_of(variable).front();
    axes_[a] = {*grid.coordinates[a], variable.type, std::vector<std::int64_t>(static_cast<std::size_t>(count))};
  }
}

void CoordinateValues::add(std::span<const Extent> extents, const image::ImageFile& file) {
  for (auto& axis : axes_) {
    if (!axis || !file.begins[axis->variable]) continue;
    const std::int64_t begin = *file.begins[axis->variable];
    const std::int64_t size = bytes_of(axis->type);
    const std::int64_t end = begin + std::ssize(axis->bits) * size;
    for (const Extent& extent : extents) {
      if (extent.offset_bytes < begin || extent.offset_bytes >= end) continue;
      std::vector<std::byte> bytes(static_cast<std::size_t>(extent.total_bytes()));
      pack({&extent, {0, extent.total_bytes()}}, bytes);
      for (std::int64_t at = 0; at < extent.total_bytes(); at += size) {
        double value = 0;
        (void)convert_elements(bytes.data() + at, {size, image::file_form(axis->type)},
                               reinterpret_cast<std::byte*>(&value), {8, {ElementType::f8}}, 1);
        axis->bits[static_cast<std::size_t>((extent.file_offset_of(at) - begin) / size)] =
            std::bit_cast<std::int64_t>(value);
      }
    }
  }
}

void CoordinateValues::join(Communicator& comm) {
  if (std::exchange(is_joined_, true)) return;
  for (auto& axis : axes_) {
    if (axis) comm.all_reduce(axis->bits, Reduction::sum);
  }
}

std::array<std::vector<double>, 3> CoordinateValues::values() const {
  std::array<std::vector<double>, 3> all;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (!axes_[a]) continue;
    for (const std::int64_t bits : axes_[a]->bits) all[a].push_back(std::bit_cast<double>(bits));
  }
  return all;
}

void InterleavedExtents::fill(ByteRange range, std::span<std::byte> bytes) const {
  const std::int64_t point_bytes = std::ssize(extents_) * element_bytes_;
  constexpr std::int64_t points_at_once = 4096;
  const std::int64_t end = range.offset + range.length;
  std::vector<std::byte> of_one;
  std::vector<std::byte> of_all;
  for (std::int64_t at = range.offset; at < end;) {
    const std::int64_t first = at / point_bytes;
    const std::int64_t count = std::min(points_at_once, (end - 1) / point_bytes + 1 - first);
    of_all.assign(static_cast<std::size_t>(count * point_bytes), std::byte{0});
    of_one.resize(static_cast<std::size_t>(count * element_bytes_));
    for (std::size_t c = 0; c < extents_.size(); ++c) {
      if (!extents_[c]) continue;
      pack({&*extents_[c], {first * element_bytes_, count * element_bytes_}}, of_one);
      copy_runs(of_all.data() + static_cast<std::int64_t>(c) * element_bytes_, point_bytes, of_one.data(),
                element_bytes_, element_bytes_, count);
    }
    const std::int64_t skipped = at - first * point_bytes;
    const std::int64_t length = std::min(end - at, count * point_bytes - skipped);
    std::memcpy(bytes.data() + (at - range.offset), of_all.data() + skipped, static_cast<std::size_t>(length));
    at += length;
  }
}

bool InterleavedExtents::is_for_threads() const {
  return std::ranges::none_of(extents_, [](const auto& each) { return each && each->is_for_caller(); });
}

void join_interleaved(std::vector<Extent>& extents, const image::Interleaved& points,
                      std::list<InterleavedExtents>& encoders) {
  if (points.points == 0) return;
  const std::int64_t size = points.element_bytes;
  const std::int64_t point_bytes = std::ssize(points.variables) * size;
  std::map<std::int64_t, std::array<std::optional<Extent>, 3>> found;  // by the first byte of their first point
  std::set<std::int64_t> repeated;
  const auto is_point = [&](const Extent& each) {
    return each.offset_bytes >= points.begin && each.offset_bytes < points.begin + points.points * point_bytes &&
           each.run_bytes == size;
  };
  for (const Extent& each : extents) {
    if (!is_point(each)) continue;
    const std::int64_t of_point = (each.offset_bytes - points.begin) % point_bytes;
    std::optional<Extent>& place = found[each.offset_bytes - of_point][static_cast<std::size_t>(of_point / size)];
    if (place) repeated.insert(each.offset_bytes - of_point);  // an error that is found when all are written
    place = each;
  }
  const auto are_alike = [](const Extent& a, const Extent& b) {
    return std::ranges::equal(a.steps, b.steps, [](const Step& of_a, const Step& of_b) {
      return of_a.count == of_b.count && of_a.file_stride_bytes == of_b.file_stride_bytes;
    });
  };
  std::erase_if(found, [&](const auto& each) {
    const auto& of_all = each.second;
    if (repeated.contains(each.first)) return true;
    for (std::size_t c = 0; c < of_all.size(); ++c) {
      if (of_all[c].has_value() != points.variables[c].has_value()) return true;
      if (of_all[c] && !are_alike(*of_all[c], *of_all[0])) return true;
    }
    return false;
  });
  std::erase_if(extents, [&](const Extent& each) {
    return is_point(each) && found.contains(each.offset_bytes - (each.offset_bytes - points.begin) % point_bytes);
  });
  for (auto& [begin, of_all] : found) {
    Extent joined{.offset_bytes = begin, .run_bytes = point_bytes, .steps = of_all[0]->steps};
    for (Step& step : joined.steps) step.memory_stride_bytes = 0;
    joined.encoder = &encoders.emplace_back(std::move(of_all), size);
    extents.push_back(std::move(joined));
  }
}

}  // namespace sill
