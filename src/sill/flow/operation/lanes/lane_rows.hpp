// Memory of traces that lie side by side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/flow/operation/lanes/lane_kernels.hpp"

namespace sill::flow {

/// Local. So many rows, aligned, of floats or doubles, in `memory`, which grows as it must. What they hold is not set.
template <class Element>
[[nodiscard]] Element* lane_rows(std::vector<Element>& memory, std::int64_t rows);

/// Local. What `lane_rows` takes.
template <class Element = double>
[[nodiscard]] constexpr std::int64_t bytes_of_lane_rows(std::int64_t rows) {
  return rows * lane_count * std::int64_t{sizeof(Element)} + std::int64_t{lane_alignment};
}

/// Local. Lays up to `lane_count` series of `samples` samples into rows. The other lanes are zero.
void interleave(const LaneKernels& kernels, std::span<const float* const> series, std::int64_t samples, double* rows);
void interleave(const LaneKernels& kernels, std::span<const float* const> series, std::int64_t samples, float* rows);

/// Local. Rounds rows to the samples of up to `lane_count` series.
void separate(const LaneKernels& kernels, const double* rows, std::int64_t samples, std::span<float* const> series);
void separate(const LaneKernels& kernels, const float* rows, std::int64_t samples, std::span<float* const> series);

}  // namespace sill::flow
