// Decoding of samples to numbers, one format at a time.
#pragma once

#include <cstddef>
#include <span>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"

namespace sill::segy {

/// Local. Decodes every sample, in file order. Values are exact, except int64 and uint64 samples beyond 2^53, which are
/// rounded to the nearest double, ties to even (see decode_rest). Precondition: `samples` contains `bytes_of(format)`
/// bytes per element of `out`. Source: SEG-Y rev 1 and rev 2.1, bytes 3225-3226.
void decode(std::span<const std::byte> samples, SampleFormat format, ByteOrder order, std::span<double> out);

/// Local. Computes the rounding errors of decode: the exact value of each sample minus the value that decode returns.
/// All are zero for formats other than int64 and uint64. Two samples are equal if and only if both their decoded values
/// and their rounding errors are equal. Precondition: as decode.
void decode_rest(std::span<const std::byte> samples, SampleFormat format, ByteOrder order, std::span<double> out);

/// Local. Throws Error(usage) if samples cannot be written in the format.
void require_writable(SampleFormat format);

}  // namespace sill::segy
