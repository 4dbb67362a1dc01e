#include "sill/flow/value/flow.hpp"

#include "sill/base/error.hpp"
#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"

namespace sill::flow {

void throw_at_text(const std::string& text, std::size_t begin, std::size_t end, const std::string& problem,
                   const std::string& action) {
  throw Error(
      {.code = ErrorCode::usage, .problem = problem + segy::detail::pointed_at(text, begin, end), .action = action});
}

std::span<const FlowOption> flow_options() {
  static const std::vector<std::string> formats = segy::words_of_sample_formats(2);
  static const std::vector<FlowOption> options{
      {"sample-format", {formats.begin(), formats.end()}, "Sample format of the output; default: that of the input"},
      {"clip", {"yes", "no"}, "Write the nearest value that the sample format has for samples beyond it"},
      {"accept-loss",
       {"yes", "no"},
       "Write also if more than a tenth of the samples become 0 or change by more than 5 % in the sample format"},
      {"scale",
       {},
       "Samples of the output are multiplied by this factor, or, of fit, by the largest power of 2 with which all of "
       "them fit into a sample format of whole numbers; written in a pass of its own, and recorded as 'sill convert' "
       "does"},
      {"nonfinite",
       {"stop", "zero", "keep"},
       "What to do with samples that are NaN or infinite, when an operation reads them or the sample format of the "
       "output has none: stop with an error (default), take them as 0, or, of operations, compute with them"},
      {"auxiliary",
       {"pass", "process"},
       "Traces that are no seismic data by their trace identification (bytes 29-30: sweeps, time breaks, ...): they "
       "pass operations on samples unchanged (default), or are processed as all others"},
      {"memory",
       {},
       "Bound of what a rank holds of traces in flight, such as 512M; default: a quarter of what the process may use, "
       "shared by the ranks of the node"},
      {"sort-method",
       {"auto", "gather", "buckets"},
       "How traces are read in the order of a sort: where they lie (gather), by way of sorted runs in a file of the "
       "survey's size (buckets), or as is estimated to be faster (default); with neighbours, as of mix, where they "
       "lie"},
      {"resume",
       {"yes", "no"},
       "Keep what is finished of the output if the run is interrupted or fails, and go on with what an interrupted run "
       "with --resume has kept, if it was of the same inputs and operations"},
      {"scratch", {}, "Folder of the files between passes and of sorted runs; default: that of the output"},
      {"history",
       {"text", "extended", "none"},
       "Where lines about the operations go: into the text header as far as it has free ones (default), into extended "
       "text headers of their own, or nowhere"},
      {"group",
       {"shape"},
       "Inputs of different shapes: a run for each number of samples, interval and sample format; the output is a "
       "pattern with {samples} and {interval} (in us)"}};
  return options;
}

}  // namespace sill::flow
