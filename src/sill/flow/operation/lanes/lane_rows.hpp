// Memory for traces that are processed at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/flow/operation/lanes/lane_kernels.hpp"

namespace sill::flow {

/// Local. Returns `rows` aligned rows of floats or doubles in `memory`, which grows if necessary. Their content is not
/// initialized.
template <class Element>
[[nodiscard]] Element* lane_rows(std::vector<Element>& memory, std::int64_t rows);

/// Local. Returns the memory that `lane_rows` uses.
template <class Element = double>
[[nodiscard]] constexpr std::int64_t bytes_of_lane_rows(std::int64_t rows) {
  return rows * lane_count * std::int64_t{sizeof(Element)} + std::int64_t{lane_alignment};
}

/// Local. Arranges up to `lane_count` series of `samples` samples in rows. The other lanes are zero.
void interleave(const LaneKernels& kernels, std::span<const float* const> series, std::int64_t samples, double* rows);
void interleave(const LaneKernels& kernels, std::span<const float* const> series, std::int64_t samples, float* rows);

/// Local. Rounds rows to the samples of up to `lane_count` series.
void separate(const LaneKernels& kernels, const double* rows, std::int64_t samples, std::span<float* const> series);
void separate(const LaneKernels& kernels, const float* rows, std::int64_t samples, std::span<float* const> series);

}  // namespace sill::flow
