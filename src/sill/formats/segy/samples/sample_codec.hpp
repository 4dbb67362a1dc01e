// Turning samples into numbers and numbers into samples, one format at a time.
#pragma once

#include <cstddef>
#include <span>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"

namespace sill::segy {

/// Local. The value of every sample, in file order: exact, but for int64 and uint64 samples beyond 2^53, which are
/// rounded to the nearest, halves to even (see decode_rest).
/// Precondition: `samples` holds `bytes_of(format)` bytes for each element of `out`.
/// Source: SEG-Y rev 1 and rev 2.1, bytes 3225-3226.
void decode(std::span<const std::byte> samples, SampleFormat format, ByteOrder order, std::span<double> out);

/// Local. What decode rounded away: each sample's value less the one that decode gives, exactly. All zeros for formats
/// other than int64 and uint64. Two samples are equal if both parts are.
/// Precondition: as decode.
void decode_rest(std::span<const std::byte> samples, SampleFormat format, ByteOrder order, std::span<double> out);

/// Local. Writes every value as a sample. IEEE floats are copied bit for bit (NaN included); other formats are rounded
/// to the nearest, halves to even.
/// Precondition: `out` holds `bytes_of(format)` bytes for each value.
/// Errors: usage for a format that cannot be written; input, naming the first sample (from 1) that the format cannot
/// hold: NaN, infinite or beyond its range. What `out` then holds is undefined.
void encode(std::span<const float> values, SampleFormat format, ByteOrder order, std::span<std::byte> out);

/// Local. Throws the usage error for a format that cannot be written, returns if it can.
void require_writable(SampleFormat format);

}  // namespace sill::segy
