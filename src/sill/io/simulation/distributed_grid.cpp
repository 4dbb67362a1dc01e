#include "sill/io/simulation/distributed_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/first_index.hpp"
#include "sill/comm/agree.hpp"

namespace sill {
std::string points_text(const Box& box) {
  Index first = box.first;
  for (std::int64_t& index : first) index += first_index();
  return fmt::format("{} points from ({})", fmt::join(box.count, " x "), fmt::join(first, ", "));
}

DistributedGrid sound_grid(DistributedGrid grid, std::string_view output) {
  const auto refuse = [&](const std::string& problem, std::string action) {
    throw Error(
        {.code = ErrorCode::usage, .problem = fmt::format("{}: {}", output, problem), .action = std::move(action)});
  };
  if (grid.mine.dimensions() == 0) grid.mine = {Index(3, 0), Index(3, 0)};
  if (grid.stored.dimensions() == 0) grid.stored = grid.mine;
  if (grid.shape.size() != 3 || *std::min_element(grid.shape.begin(), grid.shape.end()) < 1 ||
      *std::max_element(grid.shape.begin(), grid.shape.end()) > farthest_index) {
    refuse(fmt::format("a grid of shape {}", fmt::join(grid.shape, " x ")), "give points in x, y and z");
  }
  for (const Box* box : {&grid.mine, &grid.stored}) {
    if (box->first.size() == 3 && box->count.size() == 3 &&
        *std::min_element(box->count.begin(), box->count.end()) >= 0) {
      continue;
    }
    refuse("the points of a rank are not a box of three dimensions", "give the first point and counts in x, y, z");
  }
  for (const Box* box : {&grid.mine, &grid.stored}) {
    if (is_countable(*box, sizeof(float))) continue;
    refuse(fmt::format("the values of {} exceed the memory", points_text(*box)),
           "give the first point and the counts of the points of the rank");
  }
  if (grid.mine.empty()) return grid;
  if (!lies_in(grid.mine, whole(grid.shape))) {
    refuse(
        fmt::format("{} of this rank are outside the grid of {}", points_text(grid.mine), fmt::join(grid.shape, " x ")),
        fmt::format("count from {} in the complete grid, without ghost points", first_index()));
  }
  if (!lies_in(grid.mine, grid.stored)) {
    refuse(fmt::format("{} would be written, but the arrays, with {}, do not contain all of them",
                       points_text(grid.mine), points_text(grid.stored)),
           "make the stored box contain the box of the rank");
  }
  return grid;
}

void require_all_points(Communicator& comm, std::span<const DistributedPoints> points, std::string_view output) {
  std::vector<std::int64_t> held = run_and_agree(comm, [&] {
    std::vector<std::int64_t> mine;
    for (const DistributedPoints& each : points) mine.push_back(each.mine);
    return mine;
  });
  comm.all_reduce(held, Reduction::sum);
  run_and_agree(comm, [&] {
    for (std::size_t i = 0; i < held.size(); ++i) {
      if (held[i] == points[i].all) continue;
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("{}: the grid has {}, but the ranks together have {}", output, points[i].name,
                                          held[i]),
                   .action = "distribute the grid so that each point belongs to exactly one rank"});
    }
  });
}

}  // namespace sill
