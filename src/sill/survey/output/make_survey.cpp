#include "sill/survey/output/make_survey.hpp"

#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/output/trace_stream.hpp"

namespace sill {

void make_survey(const Resources& resources, const segy::SurveyOptions& options, const std::string& output) {
  Communicator& comm = resources.comm;
  const segy::SyntheticSurvey survey = run_and_agree(comm, [&] { return segy::SyntheticSurvey(options); });
  const std::int64_t trace_bytes = survey.trace_bytes();
  SurveyWriter writer(resources, output, {survey.header_bytes(), trace_bytes, options.traces});
  std::vector<std::byte> header(static_cast<std::size_t>(survey.header_bytes()));
  survey.file_header(header);
  writer.write_header(header);

  resources.begin_stage("making traces", block_of(options.traces, comm.size(), comm.rank()).count * trace_bytes);
  const TraceSource nothing{.traces = options.traces,
                            .bytes_of = [](ItemRange) { return std::int64_t{0}; },
                            .read = [](ItemRange, std::span<std::byte>) {}};
  stream_traces(resources, nothing, &writer,
                [&](ItemRange traces, std::span<const std::byte>, std::span<std::byte> out, int) {
                  const auto bytes = static_cast<std::size_t>(trace_bytes);
                  for (std::int64_t i = 0; i < traces.count; ++i)
                    survey.trace(traces.first + i, out.subspan(static_cast<std::size_t>(i) * bytes, bytes));
                  count_done(resources.progress, std::ssize(out));
                });
  writer.finish();
}

}  // namespace sill
