#include "sill/survey/repair/repair_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/detect/header_checks.hpp"
#include "sill/io/survey/compare_descriptions.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/output/finish_output.hpp"

namespace sill {
namespace {

// Returns the property that is read differently than intended, or an empty text.
std::string reading_unlike_intended(const segy::FileDescription& after, bool is_uniform,
                                    const IntendedReading& intended) {
  const segy::FileForm& form = intended.form;
  if (form.traces > 0 && intended.samples.has_value() != is_uniform) return "whether the traces differ in length";
  // The traces decide whether lengths vary, not the flag that allows it; without traces the flag does not matter.
  segy::FileDescription meant = described_as(intended.before, form, intended.first_trace_byte);
  segy::FileDescription found = after;
  meant.lengths_vary = found.lengths_vary = form.traces == 0 || !is_uniform;
  meant.samples = intended.samples.value_or(form.samples);
  meant.file_bytes = intended.written_bytes;
  if (std::string difference = reading_difference(meant, found); !difference.empty()) return difference;
  // Properties that only a repair sets.
  const struct {
    std::string_view what;
    std::string wanted;
    std::string read;
  } asked[] = {{"the revision", std::string(name_of(form.revision)), std::string(name_of(revision_of(after)))},
               {"the number of data trailers", fmt::to_string(form.trailers), fmt::to_string(after.trailers)},
               {"the number of traces", fmt::to_string(form.traces), fmt::to_string(after.traces)},
               {"the interval", fmt::to_string(form.interval_us), fmt::to_string(after.interval_us)},
               {"the padding at the end", "0", fmt::to_string(after.padding_bytes)}};
  for (const auto& [what, wanted, read] : asked)
    if (wanted != read) return fmt::format("{} would be {} instead of {}", what, read, wanted);
  return {};
}

// Returns a finding whose cause the repair should have removed, or nullptr.
const Diagnostic* unexpected_finding(const segy::FileDescription& after, const IntendedReading& intended) {
  for (const Diagnostic& found : after.diagnostics) {
    if (found.grade < Grade::minor) continue;
    if (found.where.ends_with("bytes 115-116")) return &found;
    if (found.where.ends_with("bytes 117-118") && intended.sets_interval_of_traces) return &found;
    // Findings about trace headers depend on which of them are sampled.
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
    const SurveyReader reader(resources, {intended.written});
    after = reader.files().front();
    problem = reading_unlike_intended(*after, reader.is_uniform(), intended);
  } catch (const Error& error) {
    require_known_to_all(resources.comm, error);
    if (error.code() == ErrorCode::io) throw;
    problem = error.parts().problem;
  }
  run_and_agree(resources.comm, [&] {
    if (after) after->path = intended.output;
    if (problem.empty())
      if (const Diagnostic* const found = unexpected_finding(*after, intended))
        problem = fmt::format("{} ({})", found->problem, found->where);
    if (!problem.empty())
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("the repaired file would not be read as intended: {}", problem),
                   .where = {.file = intended.output},
                   .action = "no output was made; if you know more about the file than its headers state, give it with "
                             "--assume, or correct words with sill edit"});
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
