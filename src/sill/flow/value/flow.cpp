#include "sill/flow/value/flow.hpp"

#include "sill/base/error.hpp"
#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"

namespace sill::flow {

void throw_at_text(const std::string& text, std::size_t begin, std::size_t end, const std::string& problem,
                   const std::string& action, int number) {
  throw Error({.code = ErrorCode::usage,
               .problem = problem + segy::detail::pointed_at(text, begin, end),
               .action = action,
               .system_error_number = number});
}

std::span<const FlowOption> flow_options() {
  static const std::vector<std::string> formats = segy::sample_format_names(2);
  static const std::vector<FlowOption> options{
      {"sample-format",
       {formats.begin(), formats.end()},
       "Sample format of the output. Default: the format of the input"},
      {"clip",
       {"yes", "no"},
       "Replace samples that exceed the range of the sample format with the nearest value in that range"},
      {"accept-loss",
       {"yes", "no"},
       "Write the output even if more than a tenth of the samples become 0 or change by more than 5 % in the sample "
       "format"},
      {"scale",
       {},
       "Multiply the samples of the output by this factor or, with fit, by the largest power of 2 that makes all of "
       "them fit into an integer sample format. Scaling takes a separate pass, and is recorded as in 'sill convert'"},
      {"nonfinite",
       {"stop", "zero", "keep"},
       "Treatment of NaN and infinite samples that an operation reads or that the output's sample format cannot store: "
       "stop with an error (default), replace them with zero, or keep them so that operations compute with them"},
      {"auxiliary",
       {"pass", "process"},
       "Treatment of traces that are not seismic data (sweeps, time breaks, ...) according to their trace "
       "identification (bytes 29-30): pass them unchanged through operations on samples (default), or process them "
       "like all other traces"},
      {"memory",
       {},
       "Memory that a rank may use for the traces that it processes at the same time, such as 512M. Default: a quarter "
       "of the memory that the process may use, divided among the ranks of the node"},
      {"sort-method",
       {"auto", "gather", "buckets"},
       "How a sort reads traces: each at its position (gather), from sorted runs in a file of the "
       "survey's size (buckets), or in the way with the lower estimated time (auto, default). "
       "Operations on neighbouring traces, such as mix, always use gather"},
      {"resume",
       {"yes", "no"},
       "If the run is interrupted or fails, keep the finished portion of the output. Continue from the portion that an "
       "earlier run with --resume kept for the same inputs and operations"},
      {"scratch", {}, "Folder for the files between passes and for sorted runs. Default: the folder of the output"},
      {"history",
       {"text", "extended", "none"},
       "Where to record the operations: in free lines of the text header, as long as there are free lines (default), "
       "in additional extended text headers, or nowhere"},
      {"group",
       {"shape"},
       "Run the flow once per number of samples, interval and sample format of the inputs (shape). The "
       "name of the output must contain {samples} and {interval} (in us)"}};
  return options;
}

}  // namespace sill::flow
