#include "sill/io/survey/compare_descriptions.hpp"

#include <fmt/format.h>

#include <string_view>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/survey/describe.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

std::string reading_difference(const segy::FileDescription& meant, const segy::FileDescription& found) {
  for (const Diagnostic& diagnostic : found.diagnostics)
    if (diagnostic.grade == Grade::critical) return diagnostic.problem;
  const auto differ = [](std::string_view what, auto wanted, auto read) {
    return wanted == read ? std::string() : fmt::format("{} would be {} instead of {}", what, read, wanted);
  };
  for (std::string difference :
       {differ("the format", name_of(meant.kind), name_of(found.kind)),
        differ("the byte order", name_of(meant.byte_order), name_of(found.byte_order)),
        differ("the sample format", segy::name_of(meant.sample_format), segy::name_of(found.sample_format)),
        differ("the number of additional headers", meant.additional_trace_headers, found.additional_trace_headers),
        differ("the first trace's byte", meant.first_trace_byte, found.first_trace_byte),
        differ("the byte after the last trace", meant.traces_end_byte(), found.traces_end_byte())})
    if (!difference.empty()) return difference;
  if (meant.lengths_vary != found.lengths_vary) return "whether the traces differ in length";
  if (meant.lengths_vary) return {};
  const std::string samples = differ("the number of samples", meant.samples, found.samples);
  return samples.empty() ? differ("the number of traces", meant.traces, found.traces) : samples;
}

std::string reading_problem(const Resources& resources, const std::string& path, const segy::Assumptions& assume,
                            const segy::FileDescription& meant, const ReadingDifference& difference) {
  try {
    segy::FileDescription found = open_despite_journal(resources, path, assume).description;
    if (found.lengths_vary && !meant.lengths_vary)
      found = SurveyReader(resources, {path}, nullptr, {.assume = assume, .despite_journals = true}).files().front();
    return difference(meant, found);
  } catch (const Error& error) {
    require_known_to_all(resources.comm, error);
    if (error.code() == ErrorCode::io) throw;
    return error.parts().problem;
  }
}

void require_same_reading(const Resources& resources, const segy::FileDescription& before,
                          const segy::Assumptions& assume, const std::string& path, const std::string& reported) {
  const std::string problem = reading_problem(resources, path, assume, before, reading_difference);
  run_and_agree(resources.comm, [&] {
    if (problem.empty()) return;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("with these words the file would be read differently: {}", problem),
                 .where = {.file = reported},
                 .action = "nothing was changed; set other words"});
  });
}

}  // namespace sill
