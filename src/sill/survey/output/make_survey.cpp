#include "sill/survey/output/make_survey.hpp"

#include <algorithm>
#include <vector>

#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

// Number of bytes that a rank generates between two collective writes.
constexpr std::int64_t made_round_bytes = 16 << 20;

}  // namespace

void make_survey(const Resources& resources, const segy::SurveyOptions& options, const std::string& output) {
  Communicator& comm = resources.comm;
  const segy::SyntheticSurvey survey = run_and_agree(comm, [&] { return segy::SyntheticSurvey(options); });
  const std::int64_t trace_bytes = survey.trace_bytes();
  SurveyWriter writer(resources, output, {survey.header_bytes(), trace_bytes, options.traces});
  std::vector<std::byte> header(static_cast<std::size_t>(survey.header_bytes()));
  survey.file_header(header);
  writer.write_header(header);

  // The minimum of all ranks, so that all divide the traces into the same rounds.
  const std::int64_t memory = all_reduce(comm, resources.memory(), Reduction::min);
  const std::int64_t traces_per_rank = std::max<std::int64_t>(1, std::min(made_round_bytes, memory) / trace_bytes);
  resources.begin_stage("making traces", block_of(options.traces, comm.size(), comm.rank()).count * trace_bytes);
  std::vector<std::byte> traces;
  for (std::int64_t first = 0; first < options.traces; first += traces_per_rank * comm.size()) {
    const ItemRange round{first, std::min(traces_per_rank * comm.size(), options.traces - first)};
    const ItemRange block = block_of(round, comm.size(), comm.rank());
    run_and_agree(comm, [&] {
      traces.resize(static_cast<std::size_t>(block.count * trace_bytes));
      const int threads = resources.threads();
      run_on_threads(threads, [&](int thread) {
        const ItemRange own = block_of(block.count, threads, thread);
        for (std::int64_t i = own.first; i < own.end(); ++i) {
          survey.trace(block.first + i, std::span(traces).subspan(static_cast<std::size_t>(i * trace_bytes),
                                                                  static_cast<std::size_t>(trace_bytes)));
        }
      });
    });
    writer.write(block, traces);
    count_done(resources.progress, block.count * trace_bytes);
  }
  writer.finish();
}

}  // namespace sill
