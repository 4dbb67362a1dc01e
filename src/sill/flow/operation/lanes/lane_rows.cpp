#include "sill/flow/operation/lanes/lane_rows.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace sill::flow {

double* lane_rows(std::vector<double>& memory, std::int64_t rows) {
  constexpr std::size_t slack = lane_alignment / sizeof(double);
  const auto doubles = static_cast<std::size_t>(rows * lane_count);
  if (memory.size() < doubles + slack) memory.resize(doubles + slack);
  void* aligned = memory.data();
  std::size_t space = memory.size() * sizeof(double);
  return static_cast<double*>(std::align(lane_alignment, doubles * sizeof(double), aligned, space));
}

void interleave(const LaneKernels& kernels, std::span<const float* const> series, std::int64_t samples, double* rows) {
  std::array<const float*, lane_count> of_lanes{};
  std::ranges::copy(series, of_lanes.begin());
  kernels.interleave(of_lanes.data(), samples, rows);
}

void separate(const LaneKernels& kernels, const double* rows, std::int64_t samples, std::span<float* const> series) {
  std::array<float*, lane_count> of_lanes{};
  std::ranges::copy(series, of_lanes.begin());
  kernels.separate(rows, samples, of_lanes.data());
}

}  // namespace sill::flow
