// The kernels for instructions that every processor of the build's architecture has, and the selection at run time.
#include "sill/flow/operation/lanes/lane_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

namespace sill::flow {
namespace {
constexpr std::size_t vector_bytes = 16;
#include "sill/flow/operation/lanes/lane_loops.inc"
constexpr LaneKernels portable_kernels = kernels_called("portable");
}  // namespace

#if defined(__x86_64__) && defined(__GNUC__)
extern const LaneKernels avx2_lane_kernels;
extern const LaneKernels avx512_lane_kernels;
#endif

std::span<const LaneKernels* const> runnable_lane_kernels() {
  static const std::vector<const LaneKernels*> runnable = [] {
    std::vector<const LaneKernels*> sets = {&portable_kernels};
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") > 0) sets.push_back(&avx2_lane_kernels);
    if (__builtin_cpu_supports("avx512f") > 0 && __builtin_cpu_supports("avx512dq") > 0 &&
        __builtin_cpu_supports("avx512vl") > 0)
      sets.push_back(&avx512_lane_kernels);
#endif
    return sets;
  }();
  return runnable;
}

}  // namespace sill::flow
