#include "sill/flow/operation/lanes/lane_rows.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace sill::flow {
namespace {

template <class Pointer>
std::array<Pointer, lane_count> of_lanes(std::span<const Pointer> series) {
  std::array<Pointer, lane_count> lanes{};
  std::ranges::copy(series, lanes.begin());
  return lanes;
}

}  // namespace

template <class Element>
Element* lane_rows(std::vector<Element>& memory, std::int64_t rows) {
  constexpr std::size_t slack = lane_alignment / sizeof(Element);
  const auto elements = static_cast<std::size_t>(rows * lane_count);
  if (memory.size() < elements + slack) memory.resize(elements + slack);
  void* aligned = memory.data();
  std::size_t space = memory.size() * sizeof(Element);
  return static_cast<Element*>(std::align(lane_alignment, elements * sizeof(Element), aligned, space));
}

template double* lane_rows(std::vector<double>& memory, std::int64_t rows);
template float* lane_rows(std::vector<float>& memory, std::int64_t rows);

void interleave(const LaneKernels& kernels, std::span<const float* const> series, std::int64_t samples, double* rows) {
  kernels.interleave(of_lanes(series).data(), samples, rows);
}

void interleave(const LaneKernels& kernels, std::span<const float* const> series, std::int64_t samples, float* rows) {
  kernels.interleave_floats(of_lanes(series).data(), samples, rows);
}

void separate(const LaneKernels& kernels, const double* rows, std::int64_t samples, std::span<float* const> series) {
  kernels.separate(rows, samples, of_lanes(series).data());
}

void separate(const LaneKernels& kernels, const float* rows, std::int64_t samples, std::span<float* const> series) {
  kernels.separate_floats(rows, samples, of_lanes(series).data());
}

}  // namespace sill::flow
