// The inner loops of conversion, compiled once for each kind of processor, and the choice among them at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sill/formats/segy/samples/sample_format.hpp"

namespace sill::segy {

/// A conversion kernel takes at most so many samples at a time.
inline constexpr std::size_t kernel_samples = 1024;

/// A sample whose relative error is larger has lost what it says.
constexpr float lost_share = 0.05F;

/// What a kernel saw in its samples.
struct KernelOutcome {
  std::uint32_t rounded = 0;            ///< how many targets differ from their sources
  std::uint32_t lost = 0;               ///< how many by more than lost_share of the source
  float largest_relative_error = 0.0F;  ///< among these
  /// A sample is out of range, not finite, or so small that processors may treat it specially. What was written and
  /// counted is then worthless, and the block must be done sample by sample.
  bool refused = false;
};

/// Converts samples; `in` and `out` must not overlap.
using ConvertKernel = KernelOutcome (*)(const std::byte* in, std::byte* out, std::size_t samples);
/// Reverses the bytes of each word; `in` and `out` must not overlap. Any number of words.
using SwapKernel = void (*)(const std::byte* in, std::byte* out, std::size_t words);

/// Decodes samples; `in` and `out` must not overlap. Any number of samples.
using DecodeKernel = void (*)(const std::byte* in, double* out, std::size_t samples);

/// The kernels for one kind of processor.
struct KernelSet {
  const char* name;  ///< "portable", "avx2", "avx512"
  /// The kernel for a pair of formats, `swap_in` and `swap_out` if their bytes are not in native order; null if there
  /// is none. There are kernels between ieee_float and each of ibm_float, ieee_double and the integers of at most 32
  /// bits, on little-endian processors.
  ConvertKernel (*convert)(SampleFormat from, SampleFormat to, bool swap_in, bool swap_out);
  /// The kernel for words of 2, 3, 4 or 8 bytes.
  SwapKernel (*swap)(int bytes);
  /// The kernel that turns IBM floats, `swap_in` if their bytes are not in native order, into doubles in native order,
  /// exactly; null on processors that are not little-endian.
  DecodeKernel (*decode_ibm)(bool swap_in);
};

/// Local. The sets that this processor can run, the slowest ("portable") first.
[[nodiscard]] const std::vector<const KernelSet*>& runnable_kernels();

/// Local. The last of these.
[[nodiscard]] const KernelSet& fastest_kernels();

}  // namespace sill::segy
