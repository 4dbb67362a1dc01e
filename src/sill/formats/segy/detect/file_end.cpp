// Distinguishes a truncated trace, padding, and a copy as text.
#include "sill/formats/segy/detect/file_end.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/formats/segy/detect/file_signs.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::segy {
namespace {

constexpr std::int64_t max_bytes_at_end = 1 << 20;
/// For files whose traces differ in length: in these a copy as text leaves no visible remainder.
constexpr std::int64_t bytes_of_varying_traces = 1 << 16;

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

FileEnd::FileEnd(const FileDescription& file, std::span<const SampledTraceHeader> traces)
    : first_trace_byte_(file.first_trace_byte),
      file_bytes_(file.file_bytes),
      remainder_bytes_(file.remainder_bytes),
      lengths_vary_(file.lengths_vary) {
  if (remainder_bytes_ >= trace_header_bytes && remainder_bytes_ <= max_bytes_at_end && file.traces > 0 &&
      file.trailers == 0 && !traces.empty() && !all_zero(traces.back().bytes)) {
    is_reading_end_ = true;
    wanted_ = {file_bytes_ - remainder_bytes_, remainder_bytes_};
  } else {
    look_at_line_ends();
  }
}

void FileEnd::look_at_line_ends() {
  if (remainder_bytes_ == 0 && !lengths_vary_) return;
  const std::int64_t max = lengths_vary_ ? bytes_of_varying_traces : max_bytes_at_end;
  const std::int64_t length = std::min(max, file_bytes_ - first_trace_byte_);
  if (length > 0) wanted_ = {first_trace_byte_, length};
}

void FileEnd::feed(std::span<const std::byte> bytes) {
  wanted_.reset();
  if (is_reading_end_) {
    is_reading_end_ = false;
    is_padding_ = all_zero(bytes);
    if (!is_padding_) look_at_line_ends();
  } else {
    has_text_line_ends_ = has_text_line_ends(bytes);
  }
}

void FileEnd::describe(FileDescription& file) const {
  const auto report = [&](Grade grade, std::string problem, std::int64_t byte, std::string action) {
    file.diagnostics.push_back({.grade = grade,
                                .problem = std::move(problem),
                                .where = fmt::format("byte {}", byte + 1),
                                .clause = file.kind == FileKind::segy ? "SEG-Y rev 1, bytes 3221-3222 and 3225-3226"
                                                                      : "Seismic Unix, segy.h, ns",
                                .action = std::move(action)});
  };
  file.has_text_line_ends = has_text_line_ends_;
  if (has_text_line_ends_)
    report(
        Grade::critical, "every line feed in the traces follows a carriage return: the file was copied as text",
        first_trace_byte_,
        "read unchanged, which gives wrong values; copy the file again, as binary, or undo the copy with sill repair");
  if (remainder_bytes_ == 0) return;
  const std::int64_t end = file.traces_end_byte() - remainder_bytes_;
  if (is_padding_) {
    report(Grade::major,
           fmt::format("{} zero bytes follow the last trace: too few for a trace of {} bytes", remainder_bytes_,
                       file.trace_bytes),
           end, "treated as padding: ignored, and not copied to outputs");
    file.padding_bytes = remainder_bytes_;
    file.remainder_bytes = 0;
    return;
  }
  report(Grade::critical,
         fmt::format("{} bytes follow the last complete trace: too few for a trace of {} bytes", remainder_bytes_,
                     file.trace_bytes),
         end, fmt::format("read as {} complete traces; the file is truncated, or its header is wrong", file.traces));
}

}  // namespace sill::segy
