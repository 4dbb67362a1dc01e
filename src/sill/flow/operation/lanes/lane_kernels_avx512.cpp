// The kernels for x86 processors with AVX-512.
#include "sill/flow/operation/lanes/lane_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#if defined(__x86_64__) && defined(__GNUC__)

// The attribute applies only below: the code above may run on any processor.
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")
#endif

namespace sill::flow {
namespace {
constexpr std::size_t vector_bytes = 64;
#include "sill/flow/operation/lanes/lane_loops.inc"
}  // namespace

extern const LaneKernels avx512_lane_kernels;
constexpr LaneKernels avx512_lane_kernels = kernels_called("avx512");

}  // namespace sill::flow

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
