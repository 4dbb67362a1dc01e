// The kernels for x86 processors with AVX2.
#include "sill/formats/segy/samples/conversion_kernels.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

// The target applies only to the code below: functions in the headers above may run on any processor.
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace sill::segy {
namespace {
#include "sill/formats/segy/samples/conversion_loops.inc"
}  // namespace

extern const KernelSet avx2_kernels;
constexpr KernelSet avx2_kernels = {"avx2", convert_kernel, swap_kernel, decode_ibm_kernel};

}  // namespace sill::segy

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
