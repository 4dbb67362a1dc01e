#include "sill/view/header_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/flow/operation/dead_traces.hpp"
#include "sill/flow/run/bound_flow.hpp"
#include "sill/formats/segy/expression/expression.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/select/select_traces.hpp"
#include "sill/survey/select/trace_ranges.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill::view {
namespace {

struct PointHash {
  std::size_t operator()(const std::pair<double, double>& point) const {
    const auto bits =
        std::bit_cast<std::uint64_t>(point.first) * 0x9E3779B97F4A7C15ULL + std::bit_cast<std::uint64_t>(point.second);
    return static_cast<std::size_t>((bits ^ (bits >> 29U)) * 0xBF58476D1CE4E5B9ULL >> 16U);
  }
};

// The number of traces and the sum of the values at each point.
struct Sums {
  std::int64_t traces = 0;
  double sum = 0.0;
};
using PointSums = std::unordered_map<std::pair<double, double>, Sums, PointHash>;

void require_few(std::int64_t points, std::int64_t max_points) {
  if (points <= max_points) return;
  throw usage_error(fmt::format("the traces have more than {} different points", format_count(max_points)),
                    "choose some of them, with --where 'trace % 100 == 1' for example");
}

segy::Expression number_expression(const std::string& text, const segy::HeaderMap& words) {
  segy::Expression expression = segy::Expression::parse(text, words);
  if (expression.kind() == segy::ValueKind::integer || expression.kind() == segy::ValueKind::real) return expression;
  throw usage_error(fmt::format("`{}` is not a number", text),
                    "give a header word or an expression of numbers (docs/expressions.md)");
}

// Adds points in ascending order; equal ones become one, whose mean is the sum.
void add_points(const std::vector<HeaderPoint>& points, HeaderPoints& found) {
  for (const HeaderPoint& point : points) {
    found.traces += point.traces;
    HeaderPoint* const last = found.points.empty() ? nullptr : &found.points.back();
    if (last != nullptr && last->x == point.x && last->y == point.y) {
      last->traces += point.traces;
      last->mean += point.mean;
    } else {
      found.points.push_back(point);
    }
  }
}

}  // namespace

HeaderPoints header_points(const Resources& resources, const SurveyReader& reader, const PointsRequest& request) {
  Communicator& comm = resources.comm;
  HeaderPoints found;
  std::vector<segy::Expression> numbers;
  std::optional<segy::Expression> where;
  ItemRange all{0, reader.traces()};
  run_and_agree(comm, [&] {
    numbers.push_back(number_expression(request.x, reader.words()));
    numbers.push_back(number_expression(request.y, reader.words()));
    if (!request.value.empty()) numbers.push_back(number_expression(request.value, reader.words()));
    if (!request.traces.range.empty()) all = parse_trace_range(request.traces.range, reader.traces());
    found.condition = condition_of(request.traces, reader.words());
    if (!found.condition.empty()) where = segy::Expression::parse_condition(found.condition, reader.words());
  });
  flow::DeadTraces kinds;
  if (request.leaves_out_auxiliary) kinds.bind(flow::state_of(reader));
  const std::vector<HeaderPoint> mine = run_and_agree(comm, [&] {
    ByteRange needed = numbers.front().needed_bytes();
    for (const segy::Expression& each : numbers) needed = joined(needed, each.needed_bytes());
    flow::Access access;
    kinds.add_to(access);
    for (const ByteRange& word : access.reads_words) needed = joined(needed, word);
    std::vector<PointSums> of_threads(static_cast<std::size_t>(resources.threads()));
    std::vector<std::int64_t> auxiliary(of_threads.size());
    const ItemRange block = block_of(all, comm.size(), comm.rank());
    resources.begin_stage("reading headers", block.count * needed.length);
    visit_where(reader, block, where ? &*where : nullptr, needed, resources.threads(),
                [&](std::int64_t /*trace*/, const segy::HeaderView& header, int thread) {
                  if (!kinds.is_seismic(header.header)) {
                    ++auxiliary[static_cast<std::size_t>(thread)];
                    return;
                  }
                  const double x = numbers[0].real(header);
                  const double y = numbers[1].real(header);
                  const double value = numbers.size() > 2 ? numbers[2].real(header) : 0.0;
                  if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(value)) return;
                  PointSums& sums = of_threads[static_cast<std::size_t>(thread)];
                  Sums& at = sums[{x, y}];
                  ++at.traces;
                  at.sum += value;
                  if (at.traces == 1) require_few(std::ssize(sums), request.max_points);
                });
    found.auxiliary = std::accumulate(auxiliary.begin(), auxiliary.end(), std::int64_t{0});
    PointSums sums;
    for (const PointSums& each : of_threads)
      for (const auto& [point, of] : each) {
        Sums& at = sums[point];
        at.traces += of.traces;
        at.sum += of.sum;
      }
    std::vector<HeaderPoint> points;
    for (const auto& [point, of] : sums) points.push_back({point.first, point.second, of.traces, of.sum});
    return points;
  });
  found.auxiliary = all_reduce(comm, found.auxiliary, Reduction::sum);
  std::vector<HeaderPoint> points = all_gather_all(comm, std::span<const HeaderPoint>(mine));
  std::ranges::sort(points, {},
                    [](const HeaderPoint& point) { return std::tuple(point.x, point.y, point.traces, point.mean); });
  run_and_agree(comm, [&] {
    add_points(points, found);
    if (reader.traces() == 0) throw usage_error("the survey has no traces", "choose a file with traces");
    if (found.points.empty())
      throw usage_error(found.auxiliary > 0       ? "the selected traces are auxiliary (trid), and are not counted"
                        : found.condition.empty() ? "no trace has both numbers"
                                                  : "no trace satisfies " + found.condition,
                        "see the values: 'sill scan FILE --stats'");
    require_few(std::ssize(found.points), request.max_points);
    for (HeaderPoint& point : found.points)
      point.mean =
          request.value.empty() ? static_cast<double>(point.traces) : point.mean / static_cast<double>(point.traces);
  });
  return found;
}

}  // namespace sill::view
