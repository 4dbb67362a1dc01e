// How long a trace is, from its own headers.
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

/// The most samples that bytes 115-116, and 3221-3222, can say.
inline constexpr std::int64_t max_short_samples = std::numeric_limits<std::uint16_t>::max();

/// Local. Whether `stated` at bytes 115-116 says nothing about traces of `samples`: the most that a signed number of 16
/// bits can say, where more lie and a second header states their number.
[[nodiscard]] constexpr bool leaves_samples_open(std::int64_t stated, std::int64_t samples, int headers) {
  constexpr std::int64_t most_signed = std::numeric_limits<std::int16_t>::max();
  return headers > 1 && stated == most_signed && samples > most_signed;
}

/// Local. Whether bytes 117-118, and 3217-3218, can say an interval: whole microseconds, at most 65535.
[[nodiscard]] bool is_short_interval(double interval_us);

/// Bytes 233-240 of an additional header, counted from 0: its name.
inline constexpr int header_name_at = 232;
/// The same of the second header of a trace, counted from 0 in the first.
inline constexpr int second_name_at = trace_header_bytes + header_name_at;
/// Bytes 137-140 and 157-158 of trace header extension 1, counted from 0 in the first header: samples beyond 65,535,
/// and the number of additional headers of this trace.
inline constexpr int extension_samples_at = trace_header_bytes + 136;
inline constexpr int extension_headers_at = trace_header_bytes + 156;

/// Headers and samples of one trace.
struct TraceShape {
  std::int64_t samples = 0;
  int headers = 1;  ///< of 240 bytes each, the first included

  /// Local. Bytes of the headers, and of headers and samples of so many bytes each.
  [[nodiscard]] constexpr std::int64_t header_bytes() const { return std::int64_t{trace_header_bytes} * headers; }
  [[nodiscard]] constexpr std::int64_t bytes(std::int64_t sample_bytes) const {
    return header_bytes() + samples * sample_bytes;
  }

  friend constexpr bool operator==(const TraceShape&, const TraceShape&) = default;
};

/// Local. Whether the 8 bytes at `name` (bytes 233-240 of a header) are "SEG00001", in ASCII or EBCDIC: the header is
/// trace header extension 1. Text is the same in every byte order.
[[nodiscard]] bool is_extension_1(const std::byte* name);

/// Local. Lets the headers at `trace`, `headers` of them, state `samples` where they stated a number before; or, where
/// they must because the file header states another, in any case. Errors: input, without a place, for more samples than
/// the words that the trace has can say.
void set_samples_stated(std::byte* trace, int headers, ByteOrder order, std::int64_t samples, bool must_state);

/// Tells the shape of traces where lengths vary. What a trace's header leaves open (0) is as the binary header states.
/// Sources: SEG-Y rev 1, bytes 3503-3504 and trace header bytes 115-116; rev 2.1, trace header extension 1, bytes
/// 137-140 (samples beyond 65,535) and 157-158 (additional headers of this trace).
class TraceShapeRule {
 public:
  explicit TraceShapeRule(const FileDescription& file);

  /// Local. The bytes, from the first byte of a trace, that determine its shape.
  [[nodiscard]] ByteRange needed_bytes() const { return needed_; }

  /// Local. The shape of the trace whose first byte is, or would be, at `trace`; only `needed_bytes()` are read.
  [[nodiscard]] TraceShape shape_of(const std::byte* trace) const;

  /// Local. Bytes of a trace of a shape.
  [[nodiscard]] std::int64_t bytes_of(const TraceShape& shape) const { return shape.bytes(sample_bytes_); }

 private:
  ByteOrder order_;
  TraceShape open_;  // of a trace that states nothing
  std::int64_t sample_bytes_;
  ByteRange needed_;
};

}  // namespace sill::segy
