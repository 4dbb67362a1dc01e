#include "sill/survey/output/length_check.hpp"

#include <fmt/format.h>

#include <string>

#include "sill/base/error.hpp"

namespace sill {
namespace {

constexpr const char* clause = "SEG-Y rev 1, bytes 3503-3504 and trace header bytes 115-116";

std::string text_of(const segy::TraceShape& shape, const segy::FileDescription& file) {
  return file.additional_trace_headers == 0 ? fmt::format("{} samples", shape.samples)
                                            : fmt::format("{} samples and {} headers", shape.samples, shape.headers);
}

// If lengths vary, the header must match the index.
[[noreturn]] void refuse_index(const SurveyReader& reader, std::int64_t trace, const segy::FileDescription& file,
                               const segy::TraceShape& stated, const segy::TraceShape& known) {
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("this trace states {}, but the index of the file has {}", text_of(stated, file),
                                      text_of(known, file)),
               .where = reader.where(trace),
               .clause = clause,
               .action = "make sure that no program writes to the file, and build its index again (sill index)"});
}

// The trace would have another length after the first file's header.
[[noreturn]] void refuse_open(const SurveyReader& reader, std::int64_t trace, const segy::FileDescription& file) {
  const segy::FileDescription& first = reader.files().front();
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format(
                   "this trace uses the number of samples of the file header, which is {} in this file, but {} in {}",
                   file.samples, first.samples, first.path),
               .where = reader.where(trace),
               .clause = clause,
               .action = "process the files separately, or correct the trace headers"});
}

[[noreturn]] void refuse_contradiction(const SurveyReader& reader, std::int64_t trace,
                                       const segy::FileDescription& file, const segy::TraceShape& stated,
                                       const segy::TraceShape& known) {
  const bool is_segy = file.kind == segy::FileKind::segy;
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("according to their headers, the traces differ in length, but one length divides "
                                      "the file: this trace states {}, but was read as {}",
                                      text_of(stated, file), text_of(known, file)),
               .where = reader.where(trace),
               .clause = is_segy ? clause : "Seismic Unix, segy.h: ns, bytes 115-116",
               .action = is_segy ? "if the trace headers are right, give --assume lengths=vary, otherwise --assume "
                                   "lengths=fixed"
                                 : fmt::format("if all traces are of one length, state it: sill edit --set ns={}",
                                               known.samples)});
}

}  // namespace

LengthCheck::LengthCheck(const SurveyReader& reader, bool behind_first_header)
    : reader_(reader), behind_first_header_(behind_first_header) {
  for (const segy::FileDescription& file : reader.files()) rules_.emplace_back(file);
}

ByteRange LengthCheck::needed_bytes() const {
  ByteRange needed;
  for (const segy::TraceShapeRule& rule : rules_) needed = joined(needed, rule.needed_bytes());
  return needed;
}

void LengthCheck::see(std::span<const std::int64_t> traces, std::span<const std::byte* const> bytes) {
  std::int64_t deviating = 0;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const auto index = static_cast<std::size_t>(reader_.file_of(traces[i]));
    const segy::FileDescription& file = reader_.files()[index];
    const segy::TraceShape stated = rules_[index].shape_of(bytes[i]);
    const segy::TraceShape known = file.lengths_vary
                                       ? reader_.shape_of(traces[i])
                                       : segy::TraceShape{file.samples, 1 + file.additional_trace_headers};
    if (behind_first_header_ && file.lengths_vary && index > 0 && rules_.front().shape_of(bytes[i]) != known)
      refuse_open(reader_, traces[i], file);
    if (stated == known) continue;
    if (file.lengths_vary) refuse_index(reader_, traces[i], file, stated, known);
    ++deviating;
    const bool promised = file.kind == segy::FileKind::segy && !file.may_vary_in_length;
    if (promised || stated == segy::TraceShape{file.samples_stated_by_traces, known.headers}) continue;
    refuse_contradiction(reader_, traces[i], file, stated, known);
  }
  if (deviating > 0) deviating_ += deviating;
}

}  // namespace sill
