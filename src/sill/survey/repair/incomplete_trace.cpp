#include "sill/survey/repair/incomplete_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/formats/segy/description/trace_likeness.hpp"
#include "sill/survey/repair/headers_in_place.hpp"

namespace sill {
namespace {

constexpr const char* unknown_hole =
    "it is unknown which bytes are missing: get an intact copy of the file; if its header states a wrong number of "
    "samples, give the correct number with --assume samples=N";

using TraceHeader = std::array<std::byte, segy::trace_header_bytes>;

// Returns true if both headers state the same samples and interval (bytes 115-118), not all 0.
bool states_the_same(const std::byte* first, const std::byte* other) {
  constexpr std::int64_t at = segy::samples_at;
  constexpr std::int64_t length = 4;
  return std::equal(first + at, first + at + length, other + at) &&
         std::any_of(first + at, first + at + length, [](std::byte b) { return b != std::byte{0}; });
}

}  // namespace

CutTrace::CutTrace(const SurveyReader& reader)
    : reader_(reader), file_(reader.files().front()), bytes_(reader.cut_trace(0)) {
  if (bytes_.empty()) {
    require_no_hole_before_padding();
    return;
  }
  first_byte_ = file_.traces_end_byte() - file_.remainder_bytes;
  const std::int64_t sample_bytes = segy::bytes_of(file_.sample_format);
  const segy::TraceShapeRule rule(file_);
  const std::int64_t known_header_bytes = file_.header_bytes();
  if (std::ssize(bytes_) >= known_header_bytes)
    shape_ = file_.lengths_vary ? rule.shape_of(bytes_.data())
                                : segy::TraceShape{file_.samples, 1 + file_.additional_trace_headers};
  if (!shape_) {
    text_ = fmt::format("{} bytes of trace {}, fewer than its {} bytes of headers", bytes_.size(), file_.traces + 1,
                        known_header_bytes);
  } else {
    trace_bytes_ = rule.bytes_of(*shape_);
    const std::int64_t there = (std::ssize(bytes_) - shape_->header_bytes()) / sample_bytes;
    missing_samples_ = shape_->samples - there;
    text_ = fmt::format("{} of {} bytes of trace {}, with {} of its {} samples", bytes_.size(), trace_bytes_,
                        file_.traces + 1, there, shape_->samples);
  }
  require_like_others();
}

// Zeros at the end may be samples of a last trace that was displaced.
void CutTrace::require_no_hole_before_padding() {
  if (file_.padding_bytes == 0 || file_.traces == 0 || file_.lengths_vary) return;
  const std::vector<std::byte> padding(static_cast<std::size_t>(file_.padding_bytes));
  first_byte_ = file_.traces_end_byte();
  if (std::string problem = headers_out_of_place(reader_, padding, false); !problem.empty())
    refuse(std::move(problem), unknown_hole);
}

// If bytes are missing inside the file, the headers of all later traces are not at their expected positions.
void CutTrace::require_like_others() const {
  if (file_.trailers > 0)
    refuse(fmt::format("{} bytes before the {} data trailers are not a complete trace: bytes are missing inside the "
                       "file, or bytes 3529-3532 state a wrong number of trailers",
                       bytes_.size(), file_.trailers),
           unknown_hole);
  if (file_.traces == 0) return;
  if (std::string problem = headers_out_of_place(reader_, bytes_, true); !problem.empty())
    refuse(std::move(problem), unknown_hole);
  const auto header_of = [&](std::int64_t trace) {
    TraceHeader header{};
    reader_.read_headers({trace, 1}, header);
    return header;
  };
  const TraceHeader first = header_of(0);
  segy::TraceLikeness likeness;
  for (std::int64_t trace = 0; trace < std::min<std::int64_t>(3, file_.traces); ++trace)
    likeness.learn(header_of(trace));
  const auto is_like = [&](const std::byte* header) {
    return states_the_same(first.data(), header) || likeness.is_like(header);
  };
  if (const TraceHeader last = header_of(file_.traces - 1); file_.traces > 1 && !is_like(last.data()))
    refuse(fmt::format("{} bytes follow the last complete trace, and at the position of the header of trace {} there "
                       "is no header like the first one: bytes are missing inside the file",
                       bytes_.size(), file_.traces),
           unknown_hole);
  if (std::ssize(bytes_) >= segy::trace_header_bytes && !is_like(bytes_.data()))
    refuse(fmt::format("{} bytes follow the last complete trace, but do not begin with a trace header like the first "
                       "one: it is unknown whether they are a truncated trace",
                       bytes_.size()),
           unknown_hole);
}

std::vector<std::byte> CutTrace::padded() const {
  if (!shape_)
    refuse(fmt::format("the file ends with {}, which cannot be completed to a trace", text_),
           "--last-trace drop omits them");
  if (file_.traces > 0 && file_.lengths_vary && trace_bytes_ > reader_.longest_trace_bytes())
    refuse(fmt::format("the file ends with {}: it would be longer than any other trace", text_),
           "--last-trace drop omits it");
  std::vector<std::byte> trace(static_cast<std::size_t>(trace_bytes_));
  // A sample that was cut in two would have a wrong value.
  const std::int64_t kept = trace_bytes_ - missing_samples_ * segy::bytes_of(file_.sample_format);
  std::copy_n(bytes_.begin(), kept, trace.begin());
  return trace;
}

void CutTrace::refuse() const {
  refuse(fmt::format("the file is truncated: it ends with {}", text_),
         shape_ ? fmt::format("choose its treatment: --last-trace drop omits it, --last-trace pad keeps its bytes and "
                              "sets the other {} samples to zero",
                              missing_samples_)
                : "--last-trace drop omits them");
}

void CutTrace::refuse(std::string problem, std::string action) const {
  throw Error({.code = ErrorCode::input,
               .problem = std::move(problem),
               .where = {.file = file_.path, .byte = first_byte_},
               .clause = file_.kind == segy::FileKind::segy ? "SEG-Y rev 1, clause 4: a file ends with a complete trace"
                                                            : "Seismic Unix, segy.h, ns",
               .action = std::move(action)});
}

}  // namespace sill
