// Reports findings in the binary header and in sampled trace headers.
#include "sill/formats/segy/detect/header_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/words/binary_header.hpp"

namespace sill::segy {
namespace {

/// The values of one word in the sampled headers, each with the traces that contain it.
using TracesByValue = std::map<int, std::vector<std::int64_t>>;

template <class T>
TracesByValue values_of(std::span<const SampledTraceHeader> traces, int byte, ByteOrder order) {
  TracesByValue values;
  for (const SampledTraceHeader& trace : traces) values[word_at<T>(trace.bytes, byte, order)].push_back(trace.trace);
  return values;
}

std::string where_in(const std::vector<std::int64_t>& traces, int byte) {
  return fmt::format("trace{} {}, bytes {}-{}", traces.size() == 1 ? "" : "s", fmt::join(traces, ", "), byte, byte + 1);
}

/// Reports values of the 16-bit word at `byte` that differ from the value of the file, which the user may have assumed.
/// `quantity` is the noun after the value.
void check_against_file(const TracesByValue& values, int byte, int expected, bool is_assumed,
                        const std::string& quantity, const std::string& clause, FileDescription& description) {
  const char* const stated = is_assumed                           ? "the assumption"
                             : description.kind == FileKind::segy ? "the value of the binary header"
                                                                  : "the value of the first trace";
  for (const auto& [value, traces] : values) {
    if (value == expected) continue;
    const std::string says = traces.size() == 1 ? "the trace header states" : "trace headers state";
    description.diagnostics.push_back(
        {.grade = value == 0 ? Grade::info : Grade::minor,
         .problem = fmt::format("{} {} {}, {} is {}", says, value, quantity, stated, expected),
         .where = where_in(traces, byte),
         .clause = clause,
         .action = fmt::format("{} is used", stated)});
  }
}

void check_scalar(std::span<const SampledTraceHeader> traces, int byte, const std::string& quantity,
                  FileDescription& description) {
  for (const auto& [value, of_traces] : values_of<std::int16_t>(traces, byte, description.byte_order)) {
    if (is_legal_scalar(value)) continue;
    description.diagnostics.push_back(
        {.grade = Grade::minor,
         .problem = fmt::format("the scalar of {} is {}, not one of 1, 10, 100, 1000, 10000 or their negatives",
                                quantity, value),
         .where = where_in(of_traces, byte),
         .clause = fmt::format("SEG-Y rev 1, trace header bytes {}-{}", byte, byte + 1),
         .action = fmt::format("applied unchanged: values are {} by {}", value > 0 ? "multiplied" : "divided",
                               magnitude_of(value))});
  }
}

}  // namespace

bool is_legal_scalar(std::int64_t scalar) {
  const std::uint64_t magnitude = magnitude_of(scalar);
  return magnitude == 0 || magnitude == 1 || magnitude == 10 || magnitude == 100 || magnitude == 1000 ||
         magnitude == 10000;
}

void check_binary_header(const BinaryHeader& binary, FileDescription& description) {
  const auto report = [&](Grade grade, int byte, std::string problem, std::string action) {
    description.diagnostics.push_back({.grade = grade,
                                       .problem = std::move(problem),
                                       .where = fmt::format("bytes {}-{}", byte, byte + 1),
                                       .clause = fmt::format("SEG-Y rev 1, bytes {}-{}", byte, byte + 1),
                                       .action = std::move(action)});
  };
  const bool short_interval = description.interval_us == binary.interval_us;
  if (description.interval_us == 0.0)
    report(Grade::minor, 3217, "the binary header states a sample interval of 0", "used unchanged");
  if (short_interval && binary.interval_us > 32767)
    report(Grade::major, 3217,
           fmt::format("the sample interval is {} us as an unsigned number, {} as a signed one", binary.interval_us,
                       binary.interval_us - 65536),
           fmt::format("read as unsigned: {} us", binary.interval_us));
  if (description.samples == binary.samples && binary.samples > 32767)
    report(Grade::info, 3221,
           fmt::format("{} samples per trace are more than a signed 16-bit number can store", binary.samples),
           "read as unsigned");
  if (description.samples == 0)
    report(Grade::minor, 3221, "the binary header states 0 samples per trace", "the file has no traces");
  // Code 8 of revision 1 is too common in files that state revision 0 to be reported.
  if (const int first = first_revision_of(description.sample_format); first == 2 && description.revision < 2)
    report(Grade::info, 3225,
           fmt::format("sample format {} needs revision 2, but the file states revision {}",
                       code_of(description.sample_format), description.revision),
           "read so");
  if (binary.sorting_code < -1 || binary.sorting_code > 9)
    report(Grade::minor, 3229, fmt::format("the trace sorting code is {}, which is undefined", binary.sorting_code),
           "not needed to read the file");
  if (binary.measurement_system < 0 || binary.measurement_system > 2)
    report(Grade::minor, 3255,
           fmt::format("the measurement system is {}, neither metres (1) nor feet (2)", binary.measurement_system),
           "units of length are unknown");
  if (description.revision == 0 || description.lengths_vary) return;  // in revision 0 the flag is not defined
  if (binary.fixed_length_flag == 0) {
    const bool fits = description.remainder_bytes == 0;
    report(fits ? Grade::info : Grade::minor, 3503, "the fixed-length flag is 0: traces may differ in length",
           fits ? "the file size fits one length: read with one length" : "read as one length");
  } else if (binary.fixed_length_flag != 1) {
    report(Grade::minor, 3503, fmt::format("the fixed-length flag is {}, neither 0 nor 1", binary.fixed_length_flag),
           "read as one length");
  }
}

void refuse_critical(const FileDescription& description, const Where& where) {
  for (const Diagnostic& found : description.diagnostics)
    if (found.grade == Grade::critical)
      throw Error({.code = ErrorCode::input,
                   .problem = found.problem,
                   .where = where,
                   .clause = found.clause,
                   .action = "get an intact copy of the file, or correct its header"});
}

void refuse_from(std::span<const FileDescription> files, Grade grade) {
  constexpr int max_named = 100;
  std::string list;
  int count = 0;
  const FileDescription* first = nullptr;
  for (const FileDescription& file : files)
    for (const Diagnostic& found : file.diagnostics) {
      if (found.grade < grade || ++count > max_named) continue;
      if (first == nullptr) first = &file;
      list += fmt::format("\n  {}: {}{} ({})", name_of(found.grade), files.size() > 1 ? file.path + ": " : "",
                          found.problem, found.where);
    }
  if (count == 0) return;
  if (count > max_named) list += fmt::format("\n  and {} more", count - max_named);
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("{} finding{} of grade {} or worse:{}", count, count == 1 ? "" : "s",
                                      name_of(grade), list),
               .where = {.file = first->path},
               .action = grade == Grade::critical ? "get an intact copy of the file, or correct its header"
                                                  : "correct the file, or read it without --strict; `sill info` prints "
                                                    "the clauses"});
}

void check_text(std::span<const std::byte, text_header_bytes> text, FileDescription& description) {
  const TextCount count = count_text(text);
  const bool is_assumed = description.text_encoding != detect_text_encoding(text);
  description.evidence.push_back(
      {"text header",
       std::string(name_of(description.text_encoding)),
       fmt::format("{}of {} bytes {} are text in EBCDIC, {} in ASCII, {} are NUL", is_assumed ? "assumed; " : "",
                   text.size(), count.ebcdic, count.ascii, count.nuls),
       {}});
  const auto report = [&](Grade grade, std::string problem, std::string action) {
    description.diagnostics.push_back({.grade = grade,
                                       .problem = std::move(problem),
                                       .where = "bytes 1-3200",
                                       .clause = "SEG-Y rev 1, textual file header",
                                       .action = std::move(action)});
  };
  if (description.text_encoding == TextEncoding::unknown)
    return report(Grade::minor,
                  "the text header is neither EBCDIC nor ASCII text" +
                      (count.nuls > 0 ? fmt::format(": {} of its {} bytes are NUL", count.nuls, text.size()) : ""),
                  "copied unchanged");
  const bool is_ebcdic = description.text_encoding == TextEncoding::ebcdic;
  std::vector<std::size_t> others;
  for (std::size_t line = 0; line < text_header_lines; ++line) {
    const TextCount of_line = count_text(text.subspan(line * text_header_columns, text_header_columns));
    const std::size_t here = is_ebcdic ? of_line.ebcdic : of_line.ascii;
    const std::size_t other = is_ebcdic ? of_line.ascii : of_line.ebcdic;
    if (10 * other >= 9 * text_header_columns && 2 * here < text_header_columns) others.push_back(line + 1);
  }
  if (!others.empty())
    report(Grade::minor,
           fmt::format("the text header is {}, but line{} {} {}", name_of(description.text_encoding),
                       others.size() == 1 ? "" : "s", fmt::join(others, ", "), is_ebcdic ? "ASCII" : "EBCDIC"),
           fmt::format("copied unchanged; shown as {}", name_of(description.text_encoding)));
  if (count.nuls > 0)
    report(Grade::info, fmt::format("{} bytes of the text header are NUL, which is not a text character", count.nuls),
           "copied unchanged; shown as blanks");
}

void check_trace_count(FileDescription& description) {
  const std::uint64_t stated = description.traces_stated;
  if (stated == 0 || stated == static_cast<std::uint64_t>(description.traces)) return;
  const bool is_cut = stated > static_cast<std::uint64_t>(description.traces);
  description.diagnostics.push_back(
      {.grade = is_cut ? Grade::critical : Grade::major,
       .problem =
           fmt::format("the binary header states {} traces, but the file contains {}", stated, description.traces),
       .where = "bytes 3513-3520",
       .clause = "SEG-Y rev 2.0, bytes 3513-3520",
       .action = is_cut ? "the traces in the file are read; the file is truncated, or its header is wrong"
                        : "all traces in the file are read"});
}

void settle_interval(std::span<const SampledTraceHeader> traces, FileDescription& description) {
  // No seismic survey has a shorter interval; the stated number is most likely in milliseconds.
  constexpr double shortest_us = 50.0;
  constexpr double other_unit = 50.0;
  if (description.interval_us <= 0.0 || description.interval_us >= shortest_us || description.lengths_vary) return;
  const TracesByValue stated = values_of<std::uint16_t>(traces, 117, description.byte_order);
  if (stated.size() != 1 || stated.begin()->first < other_unit * description.interval_us) return;
  const int interval_us = stated.begin()->first;
  description.diagnostics.push_back(
      {.grade = Grade::major,
       .problem = fmt::format("the binary header states {} us between samples, the trace headers {} us",
                              description.interval_us, interval_us),
       .where = "bytes 3217-3218",
       .clause = "SEG-Y rev 1, bytes 3217-3218: microseconds",
       .action =
           fmt::format("read as {} us: the other value is not a plausible sample interval, and may be in milliseconds",
                       interval_us)});
  description.interval_us = interval_us;
}

void check_trace_headers(std::span<const SampledTraceHeader> traces, const BinaryHeader& binary,
                         const Assumptions& assume, FileDescription& description) {
  const ByteOrder order = description.byte_order;
  TracesByValue samples = values_of<std::uint16_t>(traces, 115, order);
  std::erase_if(samples, [&](const auto& stated) {
    return leaves_samples_open(stated.first, description.samples, 1 + description.additional_trace_headers);
  });
  const bool promised_fixed = description.revision >= 1 && binary.fixed_length_flag == 1;
  // Values that do not fit into these words need not be stated. If lengths vary, the bytes at positions computed from
  // one length are not headers.
  if (!description.lengths_vary && description.samples <= max_short_samples)
    check_against_file(samples, 115, static_cast<int>(description.samples), assume.samples.has_value(), "samples",
                       promised_fixed ? "SEG-Y rev 1, bytes 3503-3504 (flag 1: every trace has the samples of the "
                                        "binary header) and trace header bytes 115-116"
                                      : "SEG-Y rev 1, trace header bytes 115-116",
                       description);
  if (!description.lengths_vary && is_short_interval(description.interval_us))
    check_against_file(values_of<std::uint16_t>(traces, 117, order), 117, static_cast<int>(description.interval_us),
                       assume.interval_us.has_value(), "us between samples", "SEG-Y rev 1, trace header bytes 117-118",
                       description);
  const auto whole = traces.first(description.lengths_vary ? std::min<std::size_t>(1, traces.size()) : traces.size());
  const auto is_zero = [](const SampledTraceHeader& trace) {
    return std::ranges::all_of(trace.bytes, [](std::byte b) { return b == std::byte{0}; });
  };
  if (whole.size() > 1 && is_zero(whole.back()) && !is_zero(whole.front()))
    description.diagnostics.push_back(
        {.grade = Grade::minor,
         .problem = "the header of the last trace contains only zeros, but the header of the first trace does not",
         .where = fmt::format("trace {}, bytes 1-240", whole.back().trace),
         .clause = "SEG-Y rev 1, trace header",
         .action = "read as a trace; zeros at the end of a file may be padding"});
  check_scalar(whole, 69, "elevations and depths", description);
  check_scalar(whole, 71, "coordinates", description);
  for (const auto& [scalar, of_traces] : values_of<std::int16_t>(whole, 215, description.byte_order))
    description.may_scale_times = description.may_scale_times || (scalar != 0 && scalar != 1);
}

}  // namespace sill::segy
