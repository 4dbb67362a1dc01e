// The kernels for x86 processors with AVX2.
#include "sill/flow/operation/lanes/lane_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#if defined(__x86_64__) && defined(__GNUC__)

// The attribute applies only below: the code above may run on any processor.
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace sill::flow {
namespace {
constexpr std::size_t vector_bytes = 32;
#include "sill/flow/operation/lanes/lane_loops.inc"
}  // namespace

extern const LaneKernels avx2_lane_kernels;
constexpr LaneKernels avx2_lane_kernels = kernels_called("avx2");

}  // namespace sill::flow

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
