#include "kernels/netcdf/flash_arrays.hpp"

#include <string>

#include "kernels/awp_volume_arrays.hpp"

namespace sill::kernels {

DatasetDescription flash_description(std::int64_t blocks, std::int64_t points, std::int64_t unknowns,
                                     ElementType type) {
  DatasetDescription description{.dimensions = {{"blocks", blocks},
                                                {"neighbours", flash_neighbours},
                                                {"axes", 3},
                                                {"sides", 2},
                                                {"nzb", points},
                                                {"nyb", points},
                                                {"nxb", points}},
                                 .attributes = {{"title", "FLASH I/O"}, {"time", 0.25}, {"nstep", std::int32_t{1}}}};
  description.variables = {{"lrefine", ElementType::i4, {"blocks"}},
                           {"nodetype", ElementType::i4, {"blocks"}},
                           {"gid", ElementType::i4, {"blocks", "neighbours"}},
                           {"coordinates", type, {"blocks", "axes"}},
                           {"blocksize", type, {"blocks", "axes"}},
                           {"bndbox", type, {"blocks", "axes", "sides"}}};
  for (std::int64_t u = 0; u < unknowns; ++u) {
    description.variables.push_back(
        {std::string(flash_unknowns[static_cast<std::size_t>(u)]), type, {"blocks", "nzb", "nyb", "nxb"}});
  }
  return description;
}

double flash_value(std::int64_t block, std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t unknown) {
  return double{volume_value(x, y, z, unknown, block)} / 3;
}

double flash_tree_value(std::size_t variable, std::int64_t block, std::int64_t i) {
  if (variable < 3) return static_cast<double>((block * 7 + i * 3 + static_cast<std::int64_t>(variable)) % 1000);
  return flash_value(block, i, static_cast<std::int64_t>(variable), 0, 0);
}

FlashArrays::FlashArrays(std::int64_t first, std::int64_t count, std::int64_t zones_of_block)
    : first_block(first), blocks(count), zones(zones_of_block) {
  const auto fill = [&](auto& values, std::size_t variable, std::int64_t of_block) {
    using Value = typename std::remove_reference_t<decltype(values)>::value_type;
    for (std::int64_t b = 0; b < blocks; ++b) {
      for (std::int64_t i = 0; i < of_block; ++i) {
        values.push_back(static_cast<Value>(flash_tree_value(variable, first_block + b, i)));
      }
    }
  };
  fill(lrefine, 0, 1);
  fill(nodetype, 1, 1);
  fill(gid, 2, flash_neighbours);
  fill(coordinates, 3, 3);
  fill(blocksize, 4, 3);
  fill(bndbox, 5, 6);
  const auto for_each = [&](std::int64_t points, std::int64_t guard, std::int64_t of_point,
                            std::vector<double>& values) {
    const std::int64_t all = points + 2 * guard;
    values.resize(static_cast<std::size_t>(blocks * all * all * all * of_point));
    std::size_t at = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      for (std::int64_t z = -guard; z < points + guard; ++z) {
        for (std::int64_t y = -guard; y < points + guard; ++y) {
          for (std::int64_t x = -guard; x < points + guard; ++x) {
            for (std::int64_t u = 0; u < of_point; ++u) values[at++] = flash_value(first_block + b, z, y, x, u);
          }
        }
      }
    }
  };
  for_each(zones, flash_guard_cells, static_cast<std::int64_t>(flash_unknowns.size()), unknowns);
  for_each(zones + 1, 0, flash_plotted, corners);
}

std::vector<ArrayPart> flash_parts(FlashArrays& arrays, std::int64_t unknowns, bool is_corner) {
  const Index blocks{arrays.first_block};
  const Index count{arrays.blocks};
  const auto box = [&](std::initializer_list<std::int64_t> more) {
    Box made{blocks, count};
    for (const std::int64_t each : more) {
      made.first.push_back(0);
      made.count.push_back(each);
    }
    return made;
  };
  std::vector<ArrayPart> parts{
      {"lrefine", box({}), arrays.lrefine.data()},         {"nodetype", box({}), arrays.nodetype.data()},
      {"gid", box({flash_neighbours}), arrays.gid.data()}, {"coordinates", box({3}), arrays.coordinates.data()},
      {"blocksize", box({3}), arrays.blocksize.data()},    {"bndbox", box({3, 2}), arrays.bndbox.data()}};
  const std::int64_t points = arrays.zones + (is_corner ? 1 : 0);
  const std::int64_t guard = is_corner ? 0 : flash_guard_cells;
  const std::int64_t edge = points + 2 * guard;
  const auto of_point = is_corner ? flash_plotted : static_cast<std::int64_t>(flash_unknowns.size());
  const Index strides = row_major_strides({arrays.blocks, edge, edge, edge}, of_point);
  double* const first =
      (is_corner ? arrays.corners : arrays.unknowns).data() + guard * (strides[1] + strides[2] + strides[3]);
  for (std::int64_t u = 0; u < unknowns; ++u) {
    parts.emplace_back(std::string(flash_unknowns[static_cast<std::size_t>(u)]), box({points, points, points}),
                       first + u, strides);
  }
  return parts;
}

}  // namespace sill::kernels
