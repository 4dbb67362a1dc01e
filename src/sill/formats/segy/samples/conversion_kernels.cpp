// The kernels compiled with the instructions that every processor of the target architecture has, and the selection at
// run time.
#include "sill/formats/segy/samples/conversion_kernels.hpp"

namespace sill::segy {
namespace {
#include "sill/formats/segy/samples/conversion_loops.inc"
constexpr KernelSet portable_kernels = {"portable", convert_kernel, swap_kernel, decode_ibm_kernel};
}  // namespace

#if defined(__x86_64__) && defined(__GNUC__)
extern const KernelSet avx2_kernels;
extern const KernelSet avx512_kernels;
#endif

const std::vector<const KernelSet*>& runnable_kernels() {
  static const std::vector<const KernelSet*> runnable = [] {
    std::vector<const KernelSet*> sets = {&portable_kernels};
#if defined(__x86_64__) && defined(__GNUC__)
    // The operating system must also save the registers; these functions test both.
    if (__builtin_cpu_supports("avx2") > 0) sets.push_back(&avx2_kernels);
    if (__builtin_cpu_supports("avx512f") > 0 && __builtin_cpu_supports("avx512bw") > 0 &&
        __builtin_cpu_supports("avx512dq") > 0 && __builtin_cpu_supports("avx512vl") > 0)
      sets.push_back(&avx512_kernels);
#endif
    return sets;
  }();
  return runnable;
}

const KernelSet& fastest_kernels() { return *runnable_kernels().back(); }

}  // namespace sill::segy
