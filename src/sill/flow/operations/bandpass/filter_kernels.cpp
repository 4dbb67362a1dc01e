// The kernels in the instructions that every processor of the build's architecture has, and the choice at run time.
#include "sill/flow/operations/bandpass/filter_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace sill::flow {
namespace {
constexpr std::size_t vector_bytes = 16;
#include "sill/flow/operations/bandpass/filter_loops.inc"
constexpr FilterKernels portable_kernels = {"portable", interleave_kernel, filter_kernel, separate_kernel};
}  // namespace

#if defined(__x86_64__) && defined(__GNUC__)
extern const FilterKernels avx2_filter_kernels;
extern const FilterKernels avx512_filter_kernels;
#endif

std::span<const FilterKernels* const> runnable_filter_kernels() {
  static const std::vector<const FilterKernels*> runnable = [] {
    std::vector<const FilterKernels*> sets = {&portable_kernels};
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") > 0) sets.push_back(&avx2_filter_kernels);
    if (__builtin_cpu_supports("avx512f") > 0 && __builtin_cpu_supports("avx512dq") > 0 &&
        __builtin_cpu_supports("avx512vl") > 0)
      sets.push_back(&avx512_filter_kernels);
#endif
    return sets;
  }();
  return runnable;
}

}  // namespace sill::flow
