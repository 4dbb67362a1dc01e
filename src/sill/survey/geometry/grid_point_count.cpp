#include "sill/survey/geometry/grid_point_count.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/survey/select/distinct_keys.hpp"

namespace sill {
namespace {

constexpr std::size_t listed = 8;
constexpr std::int64_t max_map_cells = 64;
// Shift that makes unsigned numbers have the order of the signed ones.
constexpr std::int64_t sign_shift = std::int64_t{1} << 31;

/// The first and the last number of a rank.
struct RankEnds {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::int64_t count = 0;
};

RankEnds ends_of(const DistinctKeys& keys) {
  RankEnds ends;
  keys.for_each([&](std::uint64_t key, std::int64_t /*count*/) {
    if (ends.count == 0) ends.first = key;
    ends.last = key;
    ++ends.count;
  });
  return ends;
}

void add_group(GroupSizes& sizes, std::int64_t traces) {
  sizes.min = sizes.groups == 0 ? traces : std::min(sizes.min, traces);
  sizes.max = std::max(sizes.max, traces);
  ++sizes.groups;
  sizes.traces += traces;
  const auto exact = static_cast<std::int64_t>(GroupSizes::exact_sizes);
  const std::int64_t index =
      traces <= exact ? traces - 1
                      : exact - 7 + static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(traces)));
  ++sizes.histogram[static_cast<std::size_t>(std::min(index, std::ssize(sizes.histogram) - 1))];
}

GroupSizes of_all_ranks(Communicator& comm, const GroupSizes& mine) {
  GroupSizes all;
  for (const GroupSizes& sizes : all_gather(comm, mine)) {
    if (sizes.groups == 0) continue;
    all.min = all.groups == 0 ? sizes.min : std::min(all.min, sizes.min);
    all.max = std::max(all.max, sizes.max);
    all.groups += sizes.groups;
    all.traces += sizes.traces;
    for (std::size_t i = 0; i < all.histogram.size(); ++i) all.histogram[i] += sizes.histogram[i];
  }
  return all;
}

Place place_of(std::uint64_t index, const LineAxis& ilines, const LineAxis& xlines) {
  const auto columns = static_cast<std::uint64_t>(xlines.places());
  return {ilines.first + static_cast<std::int64_t>(index / columns) * ilines.step,
          xlines.first + static_cast<std::int64_t>(index % columns) * xlines.step};
}

// Returns the first few bins of all ranks. Each rank's list is ascending and follows those of lower ranks.
std::vector<Place> first_of_all(Communicator& comm, const std::vector<std::uint64_t>& mine, const LineAxis& ilines,
                                const LineAxis& xlines) {
  std::vector<Place> places;
  for (const std::uint64_t index : all_gather_all(comm, std::span<const std::uint64_t>(mine))) {
    if (places.size() < listed) places.push_back(place_of(index, ilines, xlines));
  }
  return places;
}

void list(std::vector<std::uint64_t>& into, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t index = begin; index < end && into.size() < listed; ++index) into.push_back(index);
}

}  // namespace

LineAxis count_lines(Communicator& comm, std::vector<std::int32_t>&& values) {
  std::vector<std::uint64_t> numbers = run_and_agree(comm, [&] {
    // Equal neighbours are reduced to one: along a line there are many.
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::vector<std::uint64_t> shifted;
    shifted.reserve(values.size());
    for (const std::int32_t value : values) shifted.push_back(static_cast<std::uint64_t>(value + sign_shift));
    std::vector<std::int32_t>().swap(values);
    return shifted;
  });
  const DistinctKeys keys(comm, std::move(numbers));
  const std::vector<RankEnds> ends = all_gather(comm, ends_of(keys));
  // There are few distinct distances, because their sum is limited: at most 92,681.
  std::map<std::int64_t, std::int64_t> distances;
  bool has_before = false;
  std::uint64_t before = 0;
  for (int r = 0; r < comm.rank(); ++r) {
    if (ends[static_cast<std::size_t>(r)].count == 0) continue;
    has_before = true;
    before = ends[static_cast<std::size_t>(r)].last;
  }
  keys.for_each([&](std::uint64_t key, std::int64_t /*count*/) {
    if (has_before) ++distances[static_cast<std::int64_t>(key - before)];
    has_before = true;
    before = key;
  });
  std::vector<std::array<std::int64_t, 2>> mine;
  for (const auto& [distance, count] : distances) mine.push_back({distance, count});
  std::map<std::int64_t, std::int64_t> all;
  for (const auto& [distance, count] : all_gather_all(comm, std::span<const std::array<std::int64_t, 2>>(mine)))
    all[distance] += count;

  LineAxis axis;
  for (const RankEnds& rank : ends) {
    if (rank.count == 0) continue;
    if (axis.lines == 0) axis.first = static_cast<std::int64_t>(rank.first) - sign_shift;
    axis.last = static_cast<std::int64_t>(rank.last) - sign_shift;
    axis.lines += rank.count;
  }
  std::int64_t max = 0;
  axis.step = 0;
  for (const auto& [distance, count] : all) {
    axis.step = std::gcd(axis.step, distance);
    if (count > max) {
      max = count;
      axis.usual_step = distance;
    }
  }
  axis.step = std::max<std::int64_t>(1, axis.step);
  return axis;
}

GroupSizes count_groups(Communicator& comm, std::vector<std::uint64_t>&& keys) {
  const DistinctKeys distinct(comm, std::move(keys));
  GroupSizes mine;
  distinct.for_each([&](std::uint64_t /*key*/, std::int64_t count) { add_group(mine, count); });
  return of_all_ranks(comm, mine);
}

bool can_count_places(const LineAxis& ilines, const LineAxis& xlines) {
  constexpr int key_bits = DistinctKeys::key_bits;
  return std::bit_width(static_cast<std::uint64_t>(ilines.places())) +
             std::bit_width(static_cast<std::uint64_t>(xlines.places())) <=
         key_bits;
}

SurveyGrid count_places(Communicator& comm, LineAxis ilines, LineAxis xlines, std::vector<std::uint64_t>&& places) {
  const DistinctKeys keys(comm, std::move(places));
  const std::vector<RankEnds> ends = all_gather(comm, ends_of(keys));
  SurveyGrid grid;
  const std::int64_t rows = ilines.places();
  const std::int64_t columns = xlines.places();
  grid.map_rows = static_cast<int>(std::min(rows, max_map_cells));
  grid.map_columns = static_cast<int>(std::min(columns, max_map_cells));
  const auto cells = static_cast<std::size_t>(grid.map_rows) * static_cast<std::size_t>(grid.map_columns);
  grid.map_traces.resize(cells);
  grid.map_places.resize(cells);

  GroupSizes fold;
  std::vector<std::uint64_t> holes;
  std::vector<std::uint64_t> duplicates;
  std::int64_t repeated = 0;
  std::uint64_t next = 0;  // the bin after the last one that has a trace
  bool is_last_rank = true;
  for (std::size_t r = 0; r < ends.size(); ++r) {
    if (ends[r].count == 0) continue;
    if (static_cast<int>(r) < comm.rank()) next = ends[r].last + 1;
    if (static_cast<int>(r) > comm.rank()) is_last_rank = false;
  }
  bool has_places = false;
  keys.for_each([&](std::uint64_t index, std::int64_t count) {
    has_places = true;
    list(holes, next, index);
    next = index + 1;
    add_group(fold, count);
    if (count > 1) {
      ++repeated;
      list(duplicates, index, index + 1);
    }
    const std::int64_t row = static_cast<std::int64_t>(index) / columns;
    const std::int64_t column = static_cast<std::int64_t>(index) % columns;
    // There are few cells, and each index is below 2^32, so the product fits into 64 bits.
    const auto cell =
        static_cast<std::size_t>(row * grid.map_rows / rows * grid.map_columns + column * grid.map_columns / columns);
    grid.map_traces[cell] += count;
    ++grid.map_places[cell];
  });
  if (has_places && is_last_rank) list(holes, next, static_cast<std::uint64_t>(rows * columns));
  comm.all_reduce(grid.map_traces, Reduction::sum);
  comm.all_reduce(grid.map_places, Reduction::sum);
  grid.fold = of_all_ranks(comm, fold);
  grid.first_holes = first_of_all(comm, holes, ilines, xlines);
  grid.first_duplicates = first_of_all(comm, duplicates, ilines, xlines);
  grid.duplicates = all_reduce(comm, repeated, Reduction::sum);
  grid.occupied = grid.fold.groups;
  grid.holes = rows * columns - grid.occupied;
  grid.ilines = std::move(ilines);
  grid.xlines = std::move(xlines);
  return grid;
}

}  // namespace sill
