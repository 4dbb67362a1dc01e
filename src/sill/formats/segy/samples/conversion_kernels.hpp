// The inner loops of conversion, compiled for several kinds of processors, and their selection at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sill/formats/segy/samples/sample_format.hpp"

namespace sill::segy {

/// Maximum number of samples per call of a conversion kernel.
inline constexpr std::size_t kernel_samples = 1024;

/// A sample with a larger relative error is counted as lost.
constexpr float lost_share = 0.05F;

/// Observations of a kernel about its samples.
struct KernelOutcome {
  std::uint32_t rounded = 0;            ///< samples whose target value differs from the source
  std::uint32_t lost = 0;               ///< samples that differ by more than lost_share of the source
  float largest_relative_error = 0.0F;  ///< largest error of the rounded samples
  /// A sample is out of range, not finite, or so small that processors may treat it specially. The output and the
  /// counts are then invalid, and the block must be converted sample by sample.
  bool refused = false;
};

/// Converts samples; `in` and `out` must not overlap.
using ConvertKernel = KernelOutcome (*)(const std::byte* in, std::byte* out, std::size_t samples);
/// Reverses the bytes of each word of any number of words; `in` and `out` must not overlap.
using SwapKernel = void (*)(const std::byte* in, std::byte* out, std::size_t words);

/// Decodes any number of samples; `in` and `out` must not overlap.
using DecodeKernel = void (*)(const std::byte* in, double* out, std::size_t samples);

/// The kernels for one kind of processor.
struct KernelSet {
  const char* name;  ///< "portable", "avx2", "avx512"
  /// Returns the kernel for a pair of formats, or null if there is none. `swap_in` and `swap_out` are true if the bytes
  /// are not in native order. There are kernels between ieee_float and each of ibm_float, ieee_double and the integers
  /// of at most 32 bits, on little-endian processors.
  ConvertKernel (*convert)(SampleFormat from, SampleFormat to, bool swap_in, bool swap_out);
  /// Returns the kernel for words of 2, 3, 4 or 8 bytes.
  SwapKernel (*swap)(int bytes);
  /// Returns the kernel that converts IBM floats exactly to doubles in native order, or null on processors that are not
  /// little-endian. `swap_in` is true if the bytes are not in native order.
  DecodeKernel (*decode_ibm)(bool swap_in);
};

/// Local. Returns the sets of kernels that this processor can run, the slowest ("portable") first.
[[nodiscard]] const std::vector<const KernelSet*>& runnable_kernels();

/// Local. Returns the fastest of the `runnable_kernels()`, which is the last one.
[[nodiscard]] const KernelSet& fastest_kernels();

}  // namespace sill::segy
