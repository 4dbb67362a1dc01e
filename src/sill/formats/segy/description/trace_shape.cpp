#include "sill/formats/segy/description/trace_shape.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "sill/base/error.hpp"

namespace sill::segy {
bool is_short_interval(double interval_us) {
  return interval_us == std::floor(interval_us) && interval_us >= 0.0 &&
         interval_us <= static_cast<double>(std::numeric_limits<std::uint16_t>::max());
}

bool is_extension_1(const std::byte* name) {
  constexpr unsigned char ebcdic[] = {0xE2, 0xC5, 0xC7, 0xF0, 0xF0, 0xF0, 0xF0, 0xF1};
  return std::memcmp(name, "SEG00001", 8) == 0 || std::memcmp(name, ebcdic, 8) == 0;
}

void set_samples_stated(std::byte* trace, int headers, ByteOrder order, std::int64_t samples, bool must_state) {
  const bool has_extension = headers > 1 && is_extension_1(trace + second_name_at);
  const bool states_there = has_extension && load<std::uint32_t>(trace + extension_samples_at, order) != 0;
  if (states_there) store(trace + extension_samples_at, static_cast<std::uint32_t>(samples), order);
  const bool states_here = load<std::uint16_t>(trace + samples_at, order) != 0;
  if (!states_here && (states_there || !must_state)) return;
  if (samples <= max_short_samples) return store(trace + samples_at, static_cast<std::uint16_t>(samples), order);
  if (states_there) return store(trace + samples_at, std::uint16_t{0}, order);
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("{} samples are more than bytes 115-116 can store", samples),
               .clause = "SEG-Y rev 1, trace header bytes 115-116",
               .action = "choose a shorter window"});
}

TraceShapeRule::TraceShapeRule(const FileDescription& file)
    : order_(file.byte_order),
      open_{file.samples, 1 + file.additional_trace_headers},
      sample_bytes_(segy::bytes_of(file.sample_format)),
      needed_{samples_at, file.additional_trace_headers > 0 ? 2 * trace_header_bytes - samples_at : 2} {}

TraceShape TraceShapeRule::shape_of(const std::byte* trace) const {
  TraceShape shape = open_;
  if (const auto samples = load<std::uint16_t>(trace + samples_at, order_); samples != 0) shape.samples = samples;
  if (open_.headers == 1 || !is_extension_1(trace + second_name_at)) return shape;
  if (const auto samples = load<std::uint32_t>(trace + extension_samples_at, order_); samples != 0)
    shape.samples = samples;
  // The binary header states the maximum over all traces.
  const int additional = load<std::uint16_t>(trace + extension_headers_at, order_);
  if (additional != 0 && additional < open_.headers) shape.headers = 1 + additional;
  return shape;
}

}  // namespace sill::segy
