// The kernels for x86 processors with AVX2.
#include "sill/formats/segy/samples/conversion_kernels.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

// From here on: what is compiled above may run on any processor.
#pragma GCC push_options
#pragma GCC target("avx2")

namespace sill::segy {
namespace {
#include "sill/formats/segy/samples/conversion_loops.inc"
}  // namespace

extern const KernelSet avx2_kernels;
constexpr KernelSet avx2_kernels = {"avx2", convert_kernel, swap_kernel, decode_ibm_kernel};

}  // namespace sill::segy

#pragma GCC pop_options

#endif
