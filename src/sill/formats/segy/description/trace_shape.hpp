// The length of a trace, as stated in its own headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// Bytes 115-116 of the trace header, counted from 0: the number of samples.
inline constexpr int samples_at = 114;
/// Bytes 117-118, counted from 0: the sample interval in microseconds.
inline constexpr int interval_at = 116;

/// Maximum number of samples that bytes 115-116, and 3221-3222, can state.
inline constexpr std::int64_t max_short_samples = std::numeric_limits<std::uint16_t>::max();

/// Local. Returns true if the value `stated` at bytes 115-116 leaves the number of samples open, in traces with
/// `samples` samples and `headers` headers: the value is the largest signed 16-bit number, the traces have more samples
/// than that, and a second header can state the number of samples.
[[nodiscard]] constexpr bool leaves_samples_open(std::int64_t stated, std::int64_t samples, int headers) {
  constexpr std::int64_t max_signed = std::numeric_limits<std::int16_t>::max();
  return headers > 1 && stated == max_signed && samples > max_signed;
}

/// Local. Returns true if bytes 117-118, and 3217-3218, can store an interval: an integer number of microseconds, at
/// most 65535.
[[nodiscard]] bool is_short_interval(double interval_us);

/// Bytes 233-240 of an additional header, counted from 0: the name of the header.
inline constexpr int header_name_at = 232;
/// The name of the second header of a trace, counted from 0 in the first header.
inline constexpr int second_name_at = trace_header_bytes + header_name_at;
/// Bytes 137-140 and 157-158 of trace header extension 1, counted from 0 in the first header: number of samples beyond
/// 65,535, and number of additional headers of this trace.
inline constexpr int extension_samples_at = trace_header_bytes + 136;
inline constexpr int extension_headers_at = trace_header_bytes + 156;

/// The numbers of headers and samples of one trace.
struct TraceShape {
  std::int64_t samples = 0;
  int headers = 1;  ///< number of 240-byte headers, including the first

  /// Local. Return the number of bytes of the headers, and of headers and samples if each sample has `sample_bytes`
  /// bytes.
  [[nodiscard]] constexpr std::int64_t header_bytes() const { return std::int64_t{trace_header_bytes} * headers; }
  [[nodiscard]] constexpr std::int64_t bytes(std::int64_t sample_bytes) const {
    return header_bytes() + samples * sample_bytes;
  }

  friend constexpr bool operator==(const TraceShape&, const TraceShape&) = default;
};

/// Local. Returns true if the 8 bytes at `name` (bytes 233-240 of a header) are "SEG00001", in ASCII or EBCDIC: the
/// header is trace header extension 1. The byte order of the file does not affect text.
[[nodiscard]] bool is_extension_1(const std::byte* name);

/// Local. `trace` begins with `headers` headers. Writes `samples` into each of their words that stated a number of
/// samples before. If no word stated a number, and `must_state` (the file header states a different number), writes it
/// into bytes 115-116. Errors: input, without a location, if the words of the trace cannot store that many samples.
void set_samples_stated(std::byte* trace, int headers, ByteOrder order, std::int64_t samples, bool must_state);

/// Determines the shape of each trace in a file whose lengths vary. Values that the header of a trace leaves open (0)
/// are taken from the binary header. Sources: SEG-Y rev 1, bytes 3503-3504 and trace header bytes 115-116; rev 2.1,
/// trace header extension 1, bytes 137-140 (samples beyond 65,535) and 157-158 (additional headers of this trace).
class TraceShapeRule {
 public:
  explicit TraceShapeRule(const FileDescription& file);

  /// Local. Returns the bytes, counted from the first byte of a trace, that determine its shape.
  [[nodiscard]] ByteRange needed_bytes() const { return needed_; }

  /// Local. Returns the shape of a trace. `trace` is the address that the first byte of the trace has or would have;
  /// only `needed_bytes()` are read.
  [[nodiscard]] TraceShape shape_of(const std::byte* trace) const;

  /// Local. Returns the number of bytes of a trace of a shape.
  [[nodiscard]] std::int64_t bytes_of(const TraceShape& shape) const { return shape.bytes(sample_bytes_); }

 private:
  ByteOrder order_;
  TraceShape open_;  // shape of a trace whose header states nothing
  std::int64_t sample_bytes_;
  ByteRange needed_;
};

}  // namespace sill::segy
