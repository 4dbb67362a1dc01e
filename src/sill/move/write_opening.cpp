#include "sill/move/write_opening.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "sill/comm/agree.hpp"

namespace sill {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

// A number and its negative: after both are reduced to the minimum over all ranks, they give the range of the numbers.
struct Range {
  std::int64_t min = never;
  std::int64_t negated_max = never;

  [[nodiscard]] static Range of(std::int64_t number) { return {number, -number}; }
  [[nodiscard]] bool is_one_number() const { return min == -negated_max; }
};

// The numbers of one rank; each is reduced to the minimum over all ranks.
struct OpeningNumbers {
  std::int64_t first_failed = 0;  // a rank; the number of ranks if none failed
  Range equal;
  std::int64_t of_root = any;
  std::int64_t done = 0;
  std::int64_t negated_total_ns = 0;
  std::int64_t negated_requests_ns = 0;
  std::int64_t is_unchanged = 0;
  std::array<Range, max_plans_of_call> distances;
};

// Returns: never equal, any distance (an empty plan), or a distance.
Range distance_of(const PlanRepeat& plan) {
  if (!plan.distance_bytes) return {};
  return plan.is_empty ? Range{any, any} : Range::of(*plan.distance_bytes);
}

std::optional<std::int64_t> distance_of_all(const Range& reduced) {
  if (reduced.min == any) return 0;  // every rank's plan is empty
  if (reduced.min == never || !reduced.is_one_number()) return std::nullopt;
  return reduced.min;
}

OpeningNumbers numbers_of(const Communicator& comm, const Opening& opening, const MoverState& mine) {
  OpeningNumbers numbers;
  numbers.first_failed = opening.error ? comm.rank() : comm.size();
  numbers.equal = Range::of(opening.equal);
  if (comm.rank() == 0) numbers.of_root = opening.of_root;
  numbers.done = mine.done;
  if (mine.last_call) {
    numbers.negated_total_ns = -mine.last_call->total_ns;
    numbers.negated_requests_ns = -mine.last_call->requests_ns;
  }
  numbers.is_unchanged = opening.is_unchanged ? 1 : 0;
  std::ranges::transform(mine.plans, numbers.distances.begin(), distance_of);
  return numbers;
}

}  // namespace

OpenedWrite agree_on_write(Communicator& comm, const Opening& opening, const MoverState& mine) {
  using Values = std::array<std::int64_t, sizeof(OpeningNumbers) / sizeof(std::int64_t)>;
  auto values = std::bit_cast<Values>(numbers_of(comm, opening, mine));
  comm.all_reduce(values, Reduction::min);
  const auto reduced = std::bit_cast<OpeningNumbers>(values);
  if (reduced.first_failed < comm.size()) agree(comm, opening.error);
  if (!reduced.equal.is_one_number() && opening.unequal) {
    agree(comm, opening.unequal(reduced.equal.min, -reduced.equal.negated_max));
  }
  OpenedWrite opened{{}, {reduced.of_root, reduced.is_unchanged == 1}, reduced.done, {}};
  for (std::size_t i = 0; i < mine.plans.size(); ++i) {
    opened.distances_bytes.push_back(distance_of_all(reduced.distances[i]));
  }
  if (mine.last_call) {
    const auto seconds = [](std::int64_t negated_ns) { return -1e-9 * static_cast<double>(negated_ns); };
    opened.last_call = {seconds(reduced.negated_total_ns), seconds(reduced.negated_requests_ns)};
  }
  return opened;
}

}  // namespace sill
