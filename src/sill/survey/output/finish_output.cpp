#include "sill/survey/output/finish_output.hpp"

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/survey/compare_descriptions.hpp"

namespace sill {

MeantReading read_as_input(const SurveyReader& reader) {
  MeantReading meant{.file = reader.files().front(), .assume = reader.assumptions()};
  meant.file.traces = reader.traces();
  meant.file.padding_bytes = 0;
  return meant;
}

segy::FileDescription described_as(segy::FileDescription from, const segy::FileForm& form,
                                   std::int64_t first_trace_byte) {
  from.kind = form.kind;
  from.byte_order = form.byte_order;
  from.sample_format = form.sample_format;
  from.additional_trace_headers = form.additional_trace_headers;
  from.trailers = form.trailers;
  from.traces = form.traces;
  from.samples = form.samples;
  from.first_trace_byte = first_trace_byte;
  from.padding_bytes = 0;
  return from;
}

void finish_output(const Resources& resources, const SurveyReader& reader, SurveyWriter& writer,
                   const std::string& output, MeantReading meant) {
  reader.require_unchanged(resources.comm);
  writer.share();
  meant.file.file_bytes = writer.file_bytes();
  const auto difference = [&](const segy::FileDescription& file, const segy::FileDescription& found) {
    segy::FileDescription read = file;
    if (meant.has_one_length && !found.lengths_vary) read.lengths_vary = false;
    return reading_difference(read, found);
  };
  const std::string problem =
      reading_problem(resources, writer.unfinished_path(), meant.assume, meant.file, difference);
  run_and_agree(resources.comm, [&] {
    if (problem.empty()) return;
    throw Error({.code = ErrorCode::input,
                 .problem = meant.problem + ": " + problem,
                 .where = {.file = output},
                 .action = "no file was written; " + meant.action});
  });
  writer.finish();
}

}  // namespace sill
