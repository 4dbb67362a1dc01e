#include "sill/flow/repair_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/header_checks.hpp"
#include "sill/io/reader.hpp"

namespace sill {
namespace {

// What is read otherwise than intended, or empty.
std::string reading_unlike_intended(const segy::FileDescription& after, bool is_uniform,
                                    const IntendedReading& intended) {
  const segy::FileForm& form = intended.form;
  const auto differ = [](std::string_view what, const auto& meant, const auto& read) {
    return meant == read ? std::string() : fmt::format("{} would be {} instead of {}", what, read, meant);
  };
  for (std::string found :
       {differ("the format", name_of(form.kind), name_of(after.kind)),
        differ("the byte order", name_of(form.byte_order), name_of(after.byte_order)),
        differ("the revision", name_of(form.revision), name_of(revision_of(after))),
        differ("the sample format", segy::name_of(form.sample_format), segy::name_of(after.sample_format)),
        differ("the first trace's byte", intended.first_trace_byte, after.first_trace_byte),
        differ("the number of additional headers", form.additional_trace_headers, after.additional_trace_headers),
        differ("the number of data trailers", form.trailers, after.trailers),
        differ("the number of traces", form.traces, after.traces),
        differ("the interval", form.interval_us, after.interval_us),
        differ("the padding at the end", std::int64_t{0}, after.padding_bytes)})
    if (!found.empty()) return found;
  // The revision of Seismic Unix is none; without traces lengths are neither.
  if (form.traces == 0) return {};
  if (intended.is_uniform != is_uniform) return "whether the traces differ in length";
  return is_uniform ? differ("the number of samples", form.samples, after.samples) : std::string();
}

// A finding that repairing should have left no reason for, or nothing.
const Diagnostic* unexpected_finding(const segy::FileDescription& after, const IntendedReading& intended) {
  for (const Diagnostic& found : after.diagnostics) {
    if (found.grade < Grade::minor) continue;
    if (found.where.ends_with("bytes 115-116")) return &found;
    if (found.where.ends_with("bytes 117-118") && intended.sets_interval_of_traces) return &found;
    // What is told of trace headers depends on which of them are looked at.
    if (!found.where.starts_with("bytes ")) continue;
    const bool was_there = std::ranges::any_of(intended.before.diagnostics, [&](const Diagnostic& old) {
      return old.where == found.where && old.grade >= found.grade;
    });
    if (!was_there) return &found;
  }
  return nullptr;
}

}  // namespace

segy::FileDescription proved_repair(const Resources& resources, const IntendedReading& intended) {
  std::optional<segy::FileDescription> after;
  std::string problem;
  try {
    const Reader reader(resources, {intended.written});
    after = reader.files().front();
    problem = reading_unlike_intended(*after, reader.is_uniform(), intended);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::io) throw;
    problem = error.parts().problem;
  }
  together(resources.comm, [&] {
    if (after) after->path = intended.output;
    if (problem.empty())
      if (const Diagnostic* const found = unexpected_finding(*after, intended))
        problem = fmt::format("{} ({})", found->problem, found->where);
    if (!problem.empty())
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("what the repair wrote would not be read as intended: {}", problem),
                   .where = {.file = intended.output},
                   .action = "no output was made; if you know more of the file than it tells, say it by --assume, or "
                             "correct words by sill edit"});
    if (intended.strict) segy::refuse_from({&*after, 1}, Grade::minor);
  });
  return *after;
}

std::vector<Diagnostic> left_findings(const segy::FileDescription& file) {
  std::vector<Diagnostic> left;
  std::ranges::copy_if(file.diagnostics, std::back_inserter(left),
                       [](const Diagnostic& found) { return found.grade >= Grade::minor; });
  return left;
}

}  // namespace sill
